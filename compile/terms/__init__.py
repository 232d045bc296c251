"""A λ-program comes in, is read as a term in a category on staged values, what that records goes out, a λ-program."""
