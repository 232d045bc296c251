"""Primitives: functions with their types, sources and derivatives, and which function of a library each stands for."""

from ccc.later import load_later

load_later(__name__)
