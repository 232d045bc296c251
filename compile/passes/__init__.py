"""A λ-program comes in and goes out, with the same meaning, and computes less."""
