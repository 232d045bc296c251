"""A Python function and the types of its arguments come in, a λ-program goes out, or a refusal with its place."""
