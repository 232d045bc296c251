"""The rules by which primitives are `enclosed`, as their facts name them.

>>> sorted(RULES)[1:4]
['chosen', 'cofactors', 'determinant']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ccc.categories.enclosures import Bounds, of_factors, of_magnitudes, of_variance, spread
from ccc.categories.enclosures_orders import of_chosen, of_places, of_weights
from ccc.categories.enclosures_systems import of_cofactors, of_determinant, of_inverse, of_solution
from ccc.primitives.facts import Enclosed
from ccc.primitives.primitive import Primitive

RULES: Mapping[Enclosed, Callable[..., Bounds]] = {
    "": spread, "magnitudes": of_magnitudes, "factors": of_factors, "variance": of_variance, "places": of_places,
    "weights": of_weights, "chosen": of_chosen, "inverse": of_inverse, "solution": of_solution,
    "determinant": of_determinant, "cofactors": of_cofactors,
}


def rule_of(p: Primitive) -> Callable[..., Bounds]:
    """The rule of a primitive: its own, or that of its modulus.

    >>> from ccc.primitives.products import prod
    >>> rule_of(prod).__name__
    'of_factors'
    """
    return RULES[p.enclosed]
