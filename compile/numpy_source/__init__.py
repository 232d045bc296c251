"""A λ-program comes in, NumPy source goes out."""
