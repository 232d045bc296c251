"""A λ-program comes in, is read as a term in a category on staged values, what that records goes out, a λ-program."""

from ccc.later import load_later

load_later(__name__)
