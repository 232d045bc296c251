"""The front door: every public name of the project, loaded when it is first asked for.

    import ccc
    ccc.gradient(f)(x)        the verbs            from the compiler
    ccc.Reverse(ccc.Delta())  the categories       in which a term can be read
    ccc.prod(f, g)            the combinators      with which a term is written

Nothing is imported before it is asked for, so that any module of the project can be imported first.

>>> import ccc
>>> ccc.Reverse.__module__
'ccc.categories.reverse'
>>> "gradient" in dir(ccc)
True
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from ccc.shown import SHOWN

if TYPE_CHECKING:
    from ccc.arrows import Arrow as Arrow
    from ccc.base import Host as Host
    from ccc.categories.cost import Cost as Cost
    from ccc.categories.dependence import Dependence as Dependence
    from ccc.categories.exponentials import AdditiveMap as AdditiveMap, AnyDerivative as AnyDerivative, Delta as Delta
    from ccc.categories.forward import Forward as Forward
    from ccc.categories.functions import Functions as Functions
    from ccc.categories.intervals import Intervals as Intervals
    from ccc.categories.layered import Layered as Layered
    from ccc.categories.pointwise import Pointwise as Pointwise
    from ccc.categories.provenance import Labels as Labels, Provenance as Provenance
    from ccc.categories.reverse import Reverse as Reverse
    from ccc.categories.rounding import Rounding as Rounding
    from ccc.categories.taylor import Taylor as Taylor
    from ccc.categories.uncertainty import Uncertainty as Uncertainty
    from ccc.category import Category as Category
    from ccc.combinators import (
        compose as compose,
        cond as cond,
        const as const,
        cross as cross,
        curry as curry,
        eval_ as eval_,
        fix as fix,
        fold as fold,
        id_ as id_,
        iterate as iterate,
        papply as papply,
        primitive as primitive,
        prod as prod,
        proj_left as proj_left,
        proj_right as proj_right,
        scan as scan,
        terminal as terminal,
        uncurry as uncurry,
    )
    from ccc.compile.api.checking import check_derivative as check_derivative
    from ccc.compile.api.checkpoint_schedules import checkpointed_loop as checkpointed_loop
    from ccc.compile.api.convexity import Convexity as Convexity, convex_on as convex_on
    from ccc.compile.api.derivative_overrides import (
        checkpointed as checkpointed,
        derivative_of as derivative_of,
        differentiable as differentiable,
        differentiable_function as differentiable_function,
        replace_gradient as replace_gradient,
        without_derivative as without_derivative,
    )
    from ccc.compile.api.enclosing import Enclosure as Enclosure, enclosure as enclosure
    from ccc.compile.api.explanation import explain as explain
    from ccc.compile.api.exporting import export as export
    from ccc.compile.api.flow_sensitive import gradient_of as gradient_of
    from ccc.compile.api.in_jax import from_jax as from_jax, to_jax as to_jax
    from ccc.compile.api.in_torch import from_torch as from_torch, to_torch as to_torch
    from ccc.compile.api.interpretation import interpret as interpret
    from ccc.compile.api.jacobians import (
        hessian as hessian,
        jacfwd as jacfwd,
        jacobian as jacobian,
        jacrev as jacrev,
    )
    from ccc.compile.api.mapping import vmap as vmap
    from ccc.compile.api.not_finite import debug_nans as debug_nans
    from ccc.compile.api.numbered_listing import code_adjoint as code_adjoint, code_ir as code_ir
    from ccc.compile.api.rounding_errors import (
        RoundingError as RoundingError,
        narrowing_errors as narrowing_errors,
        rounding_error as rounding_error,
    )
    from ccc.compile.api.rules import custom_jvp as custom_jvp, custom_vjp as custom_vjp
    from ccc.compile.api.solvers import implicit as implicit
    from ccc.compile.api.transforms import (
        arrow as arrow,
        compiled as compiled,
        derivative as derivative,
        functional_grad as functional_grad,
        gradient as gradient,
        pullback as pullback,
        value_with_differential as value_with_differential,
        value_with_gradient as value_with_gradient,
        value_with_pullback as value_with_pullback,
        vjp_probe as vjp_probe,
    )
    from ccc.compile.api.verbs import (
        grad as grad,
        hvp as hvp,
        jet as jet,
        jvp as jvp,
        laplacian as laplacian,
        linearize as linearize,
        value_and_grad as value_and_grad,
        vhp as vhp,
        vjp as vjp,
    )
    from ccc.compile.libraries.python_chance import Chance as Chance, expectation as expectation
    from ccc.compile.xla.limits import tape_limit as tape_limit
    from ccc.denotation import functor as functor
    from ccc.errors import (
        CCCError as CCCError,
        CCCWarning as CCCWarning,
        HigherOrderBoundary as HigherOrderBoundary,
        MissingMeaning as MissingMeaning,
    )
    from ccc.objects import Object as Object
    from ccc.objects_of_values import object_of as object_of
    from ccc.primitives.complexes import Complex as Complex
    from ccc.registered import register as register
    from ccc.spaces import vector_space as vector_space

__version__ = "0.1.0"

NAMES_OF = {
    "ccc.compile.api.transforms": (
        "value_with_pullback", "pullback", "gradient", "value_with_gradient", "derivative", "value_with_differential",
        "arrow", "compiled", "vjp_probe", "functional_grad",
    ),
    "ccc.compile.libraries.python_chance": ("Chance", "expectation"),
    "ccc.compile.api.convexity": ("Convexity", "convex_on"),
    "ccc.compile.api.enclosing": ("Enclosure", "enclosure"),
    "ccc.compile.api.explanation": ("explain",),
    "ccc.compile.api.exporting": ("export",),
    "ccc.compile.api.flow_sensitive": ("gradient_of",),
    "ccc.compile.api.numbered_listing": ("code_ir", "code_adjoint"),
    "ccc.compile.api.derivative_overrides": (
        "derivative_of", "differentiable", "differentiable_function", "without_derivative", "replace_gradient",
        "checkpointed",
    ),
    "ccc.compile.api.checking": ("check_derivative",),
    "ccc.compile.api.checkpoint_schedules": ("checkpointed_loop",),
    "ccc.compile.api.not_finite": ("debug_nans",),
    "ccc.compile.xla.limits": ("tape_limit",),
    "ccc.compile.api.rounding_errors": ("RoundingError", "narrowing_errors", "rounding_error"),
    "ccc.compile.api.rules": ("custom_jvp", "custom_vjp"),
    "ccc.compile.api.solvers": ("implicit",),
    "ccc.compile.api.interpretation": ("interpret",),
    "ccc.compile.api.verbs": (
        "hvp", "vhp", "laplacian", "jet", "grad", "value_and_grad", "vjp", "jvp", "linearize",
    ),
    "ccc.compile.api.mapping": ("vmap",),
    "ccc.compile.api.jacobians": ("jacobian", "hessian", "jacrev", "jacfwd"),
    "ccc.primitives.complexes": ("Complex",),
    "ccc.combinators": (
        "id_", "compose", "terminal", "prod", "cross", "proj_left", "proj_right", "curry", "uncurry", "eval_", "const",
        "primitive", "papply", "cond", "iterate", "fold", "scan", "fix",
    ),
    "ccc.categories.functions": ("Functions",),
    "ccc.categories.reverse": ("Reverse",),
    "ccc.categories.forward": ("Forward",),
    "ccc.categories.pointwise": ("Pointwise",),
    "ccc.categories.layered": ("Layered",),
    "ccc.categories.intervals": ("Intervals",),
    "ccc.categories.taylor": ("Taylor",),
    "ccc.categories.uncertainty": ("Uncertainty",),
    "ccc.categories.dependence": ("Dependence",),
    "ccc.categories.provenance": ("Provenance", "Labels"),
    "ccc.categories.cost": ("Cost",),
    "ccc.categories.rounding": ("Rounding",),
    "ccc.categories.exponentials": ("Delta", "AdditiveMap", "AnyDerivative"),
    "ccc.category": ("Category",),
    "ccc.arrows": ("Arrow",),
    "ccc.denotation": ("functor",),
    "ccc.objects": ("Object",),
    "ccc.objects_of_values": ("object_of",),
    "ccc.spaces": ("vector_space",),
    "ccc.registered": ("register",),
    "ccc.base": ("Host",),
    "ccc.errors": ("CCCError", "CCCWarning", "HigherOrderBoundary", "MissingMeaning"),
}
MODULES = {
    "laws": "ccc.laws", "scipy": "ccc.compile.api.optimisation", "semirings": "ccc.semirings",
    "sympy": "ccc.compile.api.in_sympy",
}
OF_OTHERS = {
    "ccc.compile.api.in_jax": ("to_jax", "from_jax"),
    "ccc.compile.api.in_torch": ("to_torch", "from_torch"),
}
"""What needs a library of its own, which `from ccc import *` does not load."""
MODULE_OF = {name: module for module, names in (NAMES_OF | OF_OTHERS).items() for name in names}

SHOWN.update(
    text=lambda arrow: importlib.import_module("ccc.show.text").board(arrow),
    formula=lambda arrow: importlib.import_module("ccc.show.latex").formula(arrow),
    drawing=lambda arrow: importlib.import_module("ccc.show.svg").diagram_or_none(arrow),
)

__all__ = [name for names in NAMES_OF.values() for name in names]  # pyright: ignore[reportUnsupportedDunderAll] - the table is the list


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return importlib.import_module(MODULES[name])
    module = MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'ccc' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    value = globals()[name] = getattr(importlib.import_module(module), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *MODULE_OF})
