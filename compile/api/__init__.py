"""What users call: functions and arguments come in, values, derivatives and explanations go out."""

from ccc.later import load_later

load_later(__name__)
