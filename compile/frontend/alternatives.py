"""What is done to a value that is one of several: a branch for each alternative."""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import attempts, branches, effects, interrupts, joins
from ccc.compile.frontend.describing import class_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import Paths
from ccc.compile.frontend.parts import MISSING, class_attribute, class_defines
from ccc.compile.frontend.paths import fork
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import class_behind, is_reference, kind_of, region_of
from ccc.compile.frontend.sums import assume, is_one_of, is_sum, left, narrowed, opened, test_of
from ccc.compile.frontend.values import TOLD, Frame, RecordValue, SumMethod, TypeValue, told_by
from ccc.compile.program.lam import Block, BlockKind, Node, Var
from ccc.coproducts import NONE
from ccc.objects import Coproduct, Object, Product, Real, Record, Text
from ccc.primitives import classes, failures
from ccc.primitives.primitive import sample
from ccc.records import Code

Use = Callable[[Any], Any]


def class_of_alternative(a: Object) -> type | None:
    """The class of the values of an alternative, None where that is not known."""
    if isinstance(a, Record):
        cls = class_behind(a.cls)
        told = TOLD in a.names and issubclass(cls, BaseException)
        return None if told else getattr(cls, "__ccc_class__", cls)
    return type(None) if a == NONE else tuple if isinstance(a, Product) else class_of(Var("", a))


def classes_of(e: Elaboration, var: Var) -> list[type]:
    """The classes of the objects that a sum may be."""
    return [a.cls for a in left(e, var).values() if isinstance(a, Record)]


def is_uncertain(e: Elaboration, value: Any) -> bool:
    """True for a sum, and for None where the program may never come: what Python raises of it, the program raises."""
    return is_sum(value) or (value is None and not e.recorder.surely_runs())


def may_be_none(e: Elaboration, value: Any) -> bool:
    """True for what may be None here, which is not all that it may be."""
    return is_uncertain(e, value) and (value is None or NONE in left(e, value).values())


def dispatch(
    e: Elaboration, var: Var | None, use: Use, fails: Callable[[Any], tuple[type, str] | None], node: ast.AST,
    frame: Frame,
) -> Any:
    """What `use` gives for the alternative that a sum is, or for None; where `fails` gives an exception, it is raised
    instead."""
    value = able(e, var, fails, node, frame)
    if var is None or not is_sum(value):
        return e.diagnosed(lambda *_: use(value), node, frame)
    there = left(e, var)

    def others() -> Any:
        refuse_alike(e, var, there, node, frame)
        return dispatch(e, var, use, never, node, frame)

    test = test_of(e, var, next(iter(there)))
    one = lambda: e.diagnosed(lambda *_: use(narrowed(e, var)), node, frame)  # noqa: E731
    branch = lambda: branches.either(e, test, one, others, node, frame)  # noqa: E731
    return e.attempts.part(lambda: e.attempts.divided(test, branch))


def iterated(e: Elaboration, value: Any, use: Use, node: ast.AST, frame: Frame) -> Any:
    """What `use` gives of what is iterated: where it is one of several that are iterated each in its way, a branch for
    each."""
    if not is_of_several(e, value):
        return use(value)
    return dispatch(e, value, lambda one: use(e.handlers.iterated(e, one, node, frame)), not_iterable, node, frame)


def asks_method(e: Elaboration, value: Any, name: str) -> bool:
    """Whether something is one of several objects, of which one has a special method of its class's own."""
    return is_sum(value) and any(class_defines(cls, name) for cls in classes_of(e, value))


def is_of_several(e: Elaboration, value: Any) -> bool:
    """Whether what is iterated is one of several that can be: objects with a method for that, lists, tuples."""
    if not is_sum(value):
        return False
    return asks_method(e, value, "__iter__") or len([a for a in left(e, value).values() if not_iterable(
        narrowed_to(e, value, a)) is None]) > 1


def narrowed_to(e: Elaboration, var: Var, a: Object) -> Any:
    """What a sum is where it is this alternative, to be asked for its class."""
    return e.inside(Block(BlockKind.BRANCH, e.recorder.block), lambda: opened(e, var, a))


def paths(e: Elaboration, value: Any, use: Callable[[Any], Paths], node: ast.AST, frame: Frame) -> Paths:
    """How statements end that do something to what is one of several objects: a branch for each."""
    found = narrowed(e, value) if is_sum(value) else value
    if not is_sum(found):
        return use(found)
    there = left(e, found)

    def arm() -> Paths:
        refuse_alike(e, found, there, node, frame)
        return paths(e, found, use, node, frame)

    return fork(e, test_of(e, found, next(iter(there))), arm, arm, node, frame)


def refuse_alike(e: Elaboration, var: Var, there: dict[Any, Object], node: ast.AST, frame: Frame) -> None:
    """Refuse what a test did not tell apart of what a sum may be, as a list and a tuple of unknown length."""
    if len(left(e, var)) == len(there):
        raise unsupported("CC003", "not in stores: what this may be is not told apart", e.place(node, frame),
                          help="let it be of one class")


def able(
    e: Elaboration, var: Var | None, fails: Callable[[Any], tuple[type, str] | None], node: ast.AST, frame: Frame
) -> Any:
    """What a sum is, or None, where it is none of the alternatives that `fails` gives an exception for, which is
    raised."""
    if var is None:
        failing = fails(None)
        if failing is not None:
            effects.fail_with(e, *failing, node, frame)
        return None
    there = left(e, var)
    if not there:  # tests around this have ruled out what is known so far
        effects.fail_with(e, RuntimeError, "no value comes here", node, frame)
    wrong: dict[Any, tuple[type, str]] = {}
    for tag, a in there.items():
        found = fails(narrowed_to(e, var, a))
        if found is not None:
            wrong[tag] = found
    for tag, (kind, text) in wrong.items():
        if len(left(e, var)) == 1:
            effects.fail_with(e, kind, text, node, frame)
        test = test_of(e, var, tag)
        blocks = Block(BlockKind.BRANCH, e.recorder.block), Block(BlockKind.BRANCH, e.recorder.block)
        joining = joins.Join(e, test, blocks, e.span(node, frame))
        failing = partial(effects.fail_with, e, kind, text, node, frame)
        with contextlib.suppress(interrupts.Ends):
            e.attempts.divided(test, partial(e.inside, blocks[0], failing))
        joining.finish()
        assume(e, test, False)
    return narrowed(e, var)


def never(value: Any) -> None:
    """No alternative fails."""


def class_name(value: Any) -> str:
    found = class_of(value)
    return "float" if found is None else found.__name__


def of_none(text: str) -> Callable[[Any], tuple[type, str] | None]:
    """The error of None, where nothing but it fails."""
    return lambda value: (TypeError, text) if value is None else None


def lacking(name: str, text: str) -> Callable[[Any], tuple[type, str] | None]:
    """The error of a value whose class has no special method of this name; `text` says it with the class."""
    def fails(value: Any) -> tuple[type, str] | None:
        there = value is not None and without(name)(value) is None
        return None if there else (TypeError, text.format("NoneType" if value is None else class_name(value)))

    return fails


NO_ITEMS = lacking("__getitem__", attempts.NO_ITEMS)
NO_TURNS = lacking("__iter__", attempts.NO_TURNS)
NO_ASSIGNMENT = lacking("__setitem__", "'{}' object does not support item assignment")


def no_item_at(key: Any) -> Callable[[Any], tuple[type, str] | None]:
    """The error of what has no items, or none at a key that is a text, where that is."""
    texts = {"str": "string indices must be integers, not 'str'"} | {
        name: f"{name} indices must be integers or slices, not str" for name in ("list", "tuple")}

    def fails(value: Any) -> tuple[type, str] | None:
        missing = NO_ITEMS(value)
        text = texts.get(class_name(value)) if class_of(key) is str else None
        return missing if missing is not None or text is None else (TypeError, text)

    return fails


def not_iterable(value: Any) -> tuple[type, str] | None:
    """The error of what can be iterated neither by its class nor by its items."""
    return NO_TURNS(value) if NO_ITEMS(value) is not None else None


def without_attribute(name: str) -> Callable[[Any], tuple[type, str] | None]:
    """The error of None, where it has no attribute of this name."""
    return lambda value: None if value is not None or hasattr(None, name) else (
        AttributeError, f"'NoneType' object has no attribute '{name}'")


def without(name: str) -> Callable[[Any], tuple[type, str] | None]:
    """The error of a value that has no attribute of this name."""
    def fails(value: Any) -> tuple[type, str] | None:
        if kind_of(value) in (StoredAs.LIST, StoredAs.DICT):
            there = hasattr(class_behind(value.cls), name)
        elif isinstance(value, (RecordValue, Node)):
            fields = value.fields if isinstance(value, RecordValue) else value.names
            fields = region_of(value.cls).parts if is_reference(value) else fields  # type: ignore[union-attr]
            asked = (name, *(() if name.startswith("__") else ("__getattr__",)))
            cls = class_behind(value.cls)
            own = issubclass(cls, tuple) and hasattr(tuple, name)
            there = own or name in fields or any(class_attribute(cls, method) is not MISSING for method in asked)
        else:
            cls = class_of(value) or (float if isinstance(value, Var) and isinstance(value.object, Real) else None)
            there = value is not None and (cls is None or hasattr(cls, name))
        return None if there else (AttributeError, f"'{class_name(value)}' object has no attribute '{name}'")

    return fails


def attribute(e: Elaboration, var: Var, node: ast.Attribute, use: Use, frame: Frame) -> Any:
    """`t.name` of a sum: a method is not looked up before it is called."""
    classes = [class_behind(cls) for cls in classes_of(e, var)]
    functions = types.FunctionType | classmethod | staticmethod
    if any(isinstance(class_attribute(cls, node.attr), functions) for cls in classes):
        return SumMethod(var, node.attr)
    return dispatch(e, var, use, without(node.attr), node, frame)


def written(
    e: Elaboration, var: Var | None, target: ast.Subscript, write: Callable[[], None], lacks: str, frame: Frame
) -> None:
    """`t[key] = value` of a sum: `write` does it to what stands for `t` then; `lacks` is what Python says of what has
    no items that can be written."""
    key = e.expression(target.slice, frame)

    def use(value: Any) -> None:
        e.once.given({target.value: e.loaded(value), target.slice: key}, write)

    method = "__delitem__" if isinstance(target.ctx, ast.Del) else "__setitem__"
    dispatch(e, var, use, lacking(method, f"'{{}}' object {lacks}"), target, frame)


def call_method(
    e: Elaboration, method: SumMethod, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """`t.name(...)` of a sum."""
    place: Any = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    place = place or ast.copy_location(ast.Attribute(ast.Name("_"), method.name), node)

    def use(value: Any) -> Any:
        return e.call(e.attribute(value, place, frame), list(args), dict(kwargs), node, frame)

    return dispatch(e, method.owner, use, without(method.name), node, frame)


def without_rule(
    function: Any, args: list[Any], i: int, kwargs: dict[str, Any]
) -> Callable[[Any], tuple[type, str] | None]:
    """The error of a function of Python's or NumPy's at None in the place of an argument, which Python is asked for."""
    def fails(value: Any) -> tuple[type, str] | None:
        if value is not None:
            return None
        error = raised_by(function, [None if j == i else sampled(a) for j, a in enumerate(args)], kwargs)
        if error is None or isinstance(error, TypeError):
            return error and (TypeError, str(error))
        otherwise = raised_by(function, [sampled(a) for a in args], kwargs)
        beside = otherwise is not None and not isinstance(otherwise, np.linalg.LinAlgError)  # as of a singular matrix
        return None if beside else (type(error), str(error))

    return fails


def raised_by(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Exception | None:
    """What a function raises of samples; None where it gives something."""
    try:
        function(*args, **{name: sampled(a) for name, a in kwargs.items()})
    except Exception as error:  # whatever a function raises of its arguments is the answer
        return error
    return None


def sampled(value: Any) -> Any:
    """A value like one of the program; of a sum, of what it is besides None."""
    if not isinstance(value, Var):
        return value
    a = value.object
    return sample(next(b for b in a.alternatives if b != NONE) if isinstance(a, Coproduct) else a)


UNSUPPORTED = "unsupported operand type(s) for {}: '{}' and '{}'"
"""What Python says of an operator and the classes of its operands."""
UNORDERED = "'{}' not supported between instances of '{}' and '{}'"
"""What it says of a comparison."""


def operand(
    symbol: str, other: Any, swapped: bool, text: str = UNSUPPORTED
) -> Callable[[Any], tuple[type, str] | None]:
    """The error of an operator at None, and at a list or dict in a store or a text where Python has none for it and the
    other operand; `text` says it with the symbol and two classes."""
    def fails(value: Any) -> tuple[type, str] | None:
        if value is not None:
            said = refusal(symbol.split()[0], value, other, swapped)
            return (TypeError, said) if said else None
        names = [class_name(value), class_name(other)]
        return TypeError, text.format(symbol, *(names[::-1] if swapped else names))

    return fails


def refusal(symbol: str, value: Any, other: Any, swapped: bool) -> str:
    """What Python says of an operator of a list or dict in a store, or of a text, and another operand; nothing where it
    has one, or where that is not known."""
    known = class_of(other) or (float if isinstance(other, Var) and isinstance(other.object, Real) else None)
    text = isinstance(value, Var) and isinstance(value.object, Text) and symbol != "%"  # which goes by what it says
    own = str if text else class_behind(value.cls) if kind_of(value) in (StoredAs.LIST, StoredAs.DICT) else None  # type: ignore
    if own is None or known not in BUILTIN:
        return ""
    pair = (known(), own()) if swapped else (own(), known())
    with contextlib.suppress(ArithmeticError):
        try:
            exec(f"a {symbol} b", dict(zip("ab", pair, strict=True)))  # which may be an augmented assignment
        except TypeError as error:
            return str(error)
    return ""


BUILTIN = (bool, dict, float, int, list, str, tuple)


def type_of(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """`type(t)` of a sum, or of what an operation raised, to be compared with classes and asked for its name."""
    found = narrowed(e, value) if is_sum(value) else value
    if is_sum(found) or told_by(found) is not None:
        return TypeValue(value if is_sum(found) else found)
    return type(None) if found is None else e.call(type, [found], {}, node, frame)


def of_its_type(e: Elaboration, value: TypeValue, use: Use, node: ast.AST, frame: Frame) -> Any:
    """What `use` gives of the class of a sum: a branch for each alternative."""
    return dispatch(e, value.owner, lambda found: use(type_of(e, found, node, frame)), never, node, frame)  # type: ignore[arg-type]


def compared_types(e: Elaboration, value: TypeValue, cls: Any, node: ast.AST, frame: Frame) -> Any:
    """Whether the class of a sum, or of what an operation raised, is another one."""
    if not isinstance(value.owner, Var):
        return isinstance(cls, type) and e.always(failures.is_of, (told_by(value.owner),), kind=cls)
    if not is_sum(value.owner):
        return isinstance(cls, type) and e.always(classes.is_exactly, (value.owner,), kind=cls)
    alternatives = left(e, value.owner)
    there = {tag: class_of_alternative(a) for tag, a in alternatives.items()}
    if None in there.values() or (cls in (int, float) and any(isinstance(a, Real) for a in alternatives.values())):
        alike = lambda found: (  # noqa: E731
            compared_types(e, found, cls, node, frame) if isinstance(found, TypeValue) else found is cls)
        return of_its_type(e, value, alike, node, frame)
    return is_one_of(e, value.owner, [tag for tag, found in there.items() if found is cls])


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
"""The classes of what may stand behind a function of the program."""


def is_instance(e: Elaboration, value: Any, classes: Any, node: ast.AST, frame: Frame) -> Any:
    """`isinstance(t, classes)` of a sum and of what an operation raised; None where that is not known."""
    if (text := told_by(value)) is not None:
        return issubclass(value.cls, classes) or e.always(failures.is_one_of, (text,), kinds=classes)
    found = [(tag, class_of_alternative(a), a) for tag, a in left(e, value).items()]
    by_kind = issubclass(int, classes) is not issubclass(float, classes)
    if any((cls is None and isinstance(a, Record)) or (by_kind and isinstance(a, Real)) for _, cls, a in found):
        again = lambda one: e.call(isinstance, [one, classes], {}, node, frame)  # noqa: E731
        return dispatch(e, value, again, never, node, frame)
    columns = (e.columns or e.transposed) and list in [cls for _, cls, _ in found]  # one of these may be a tuple
    alike = not columns or issubclass(list, classes) is issubclass(tuple, classes)
    if any(cls is not None and issubclass(cls, Code) for _, cls, _ in found):
        answers = {issubclass(kind, classes) for kind in FUNCTIONS}
        if len(answers) > 1:
            return None
        found = [(tag, types.FunctionType if cls is not None and issubclass(cls, Code) else cls, a)
                 for tag, cls, a in found]
    if not alike or any(cls is None for _, cls, _ in found):
        return None
    return is_one_of(e, value, [tag for tag, cls, _ in found if issubclass(cls, classes)])  # type: ignore[arg-type]


def asked_of_each(e: Elaboration, value: Any, ask: Callable[[Any], Any], node: ast.AST, frame: Frame) -> Any:
    """A truth value that the alternatives of a sum have: a test of which of them it is, where each is known."""
    def answer_of(a: Object) -> Any:
        return e.inside(Block(BlockKind.BRANCH, e.recorder.block), lambda: ask(opened(e, value, a)))

    answers = {tag: answer_of(a) for tag, a in left(e, value).items()}
    if not all([isinstance(answer, bool) for answer in answers.values()]):
        return dispatch(e, value, ask, never, node, frame)
    return is_one_of(e, value, [tag for tag, answer in answers.items() if answer])
