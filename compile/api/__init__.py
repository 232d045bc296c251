"""What users call: functions and arguments come in, values, derivatives and explanations go out."""
