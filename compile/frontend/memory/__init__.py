"""Values that change and those who see them come in, new contents or a refusal go out."""
