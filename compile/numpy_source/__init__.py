"""A λ-program comes in, NumPy source goes out."""

from ccc.later import load_later

load_later(__name__)
