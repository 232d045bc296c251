"""The λ-program: objects and primitives of `ccc` come in, nodes and what is known of them go out."""

from ccc.later import load_later

load_later(__name__)
