"""Meanings of terms: categories over a base."""

from ccc.later import load_later

load_later(__name__)
