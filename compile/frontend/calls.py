"""Calls: user functions are inlined, nested functions are λs applied, library functions are primitives."""

from __future__ import annotations

import ast
import functools
import re
import string
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ccc.compile.diagnostics import CompileError, UnsupportedPython, counted, is_installed, mismatch, unsupported
from ccc.compile.frontend import boxed, custom, protocols, records, sums
from ccc.compile.frontend.bodies import body_of, bound_arguments
from ccc.compile.frontend.branches import either
from ccc.compile.frontend.builtin import BUILTINS, folded
from ccc.compile.frontend.captures import Within, item, keyword
from ccc.compile.frontend.closures import call_closure
from ccc.compile.frontend.functional import FUNCTIONAL, called_object
from ccc.compile.frontend.iterators import ITERATORS
from ccc.compile.frontend.joins import described
from ccc.compile.frontend.memory import updates
from ccc.compile.frontend.outside import code_of, watched
from ccc.compile.frontend.recursion import entered
from ccc.compile.frontend.sequences import SEQUENCES
from ccc.compile.frontend.source import File, source_of
from ccc.compile.frontend.unrepeatable import unrepeatable
from ccc.compile.frontend.values import (
    ChoiceValue,
    ClosureValue,
    Frame,
    IteratorValue,
    LinearValue,
    ListValue,
    MethodValue,
    RangeValue,
    RecordValue,
    SumMethod,
    TextValue,
    atom_of,
    is_function,
    variables_in,
)
from ccc.compile.program.lam import Call, Node, Var
from ccc.objects import Array, Exponential, Product, Real
from ccc.primitives import registry
from ccc.primitives.adaptors import real_array
from ccc.primitives.primitive import Primitive, recording, sample
from ccc.primitives.raising import within
from ccc.wording import in_words, is_called_object

Elaboration = Any
OPERATORS: dict[Any, Callable[..., Any]] = {}
"""Differential operators, which give a transform of a function met inside a program; `ccc.compile.api.transforms`
enters them."""
LIBRARY = BUILTINS | SEQUENCES | ITERATORS | FUNCTIONAL
"""Functions of Python's library, on values of the front end."""


def call(e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """The result of calling any value."""
    if isinstance(function, ClosureValue):
        return call_closure(e, function, args, kwargs, node, frame)
    if isinstance(function, ChoiceValue):
        return either(e, function.test, lambda: call(e, function.then, args, kwargs, node, frame),
                      lambda: call(e, function.orelse, args, kwargs, node, frame), node, frame)
    if isinstance(function, MethodValue) and kwargs.get("out") is not None:
        found = call(e, function, args, {k: v for k, v in kwargs.items() if k != "out"}, node, frame)
        return updates.with_out(e, function, [function.owner, *args], kwargs["out"], found, node, frame)
    if isinstance(function, SumMethod):
        return sums.call_method(e, function, args, kwargs, node, frame)
    if isinstance(function, Var) and sums.is_sum(function):
        return boxed.call(e, function, args, kwargs, node, frame)
    if isinstance(function, MethodValue):
        return adapted(e, function.method, [function.owner, *args], kwargs, f".{function.name}", node, frame,
                       function=functools.partial(as_method, function.name))
    if isinstance(function, LinearValue):
        return linear(e, function, args, kwargs, node, frame)
    if isinstance(function, RecordValue | Node):
        return records.call_record(e, function, args, kwargs, node, frame)
    if isinstance(function, Var) and isinstance(function.object, Exponential) and not kwargs:
        return apply_variable(e, function, args, node, frame)
    if isinstance(function, Var):
        raise mismatch("CC022", f"{described(function)} cannot be called", e.span(node, frame),
                       help="call a function")
    return call_known(e, function, args, kwargs, node, frame)


def linear(
    e: Elaboration, function: LinearValue, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """The result of a pullback or differential."""
    if len(args) == function.takes and not kwargs:
        return function.apply(args, node, frame)
    if function.kind == "pullback":
        raise mismatch("CC027", "a pullback takes one cotangent, that of the value", e.span(node, frame),
                       help="give a tuple where the value is one")
    count = counted(function.takes, "tangent")
    raise mismatch("CC027", f"this differential takes {count}, one for each differentiated argument",
                   e.span(node, frame), f"{len(args)} were given", help="give 0.0 for one that does not move")


def apply_variable(e: Elaboration, function: Var, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    """Apply a function that is an argument of the program."""
    a = function.object
    assert isinstance(a, Exponential)
    value = args[0] if len(args) == 1 else tuple(args)
    wanted = list(a.dom.parts) if isinstance(a.dom, Product) else [a.dom]
    given = variables_in(value) if not isinstance(value, int | float) else [value]
    atoms = [atom_of(float(x) if isinstance(x, int) and isinstance(w, Real) else x)
             for x, w in zip(given, wanted, strict=False)]
    if [x.object for x in atoms] != wanted:
        raise mismatch("CC027", f"a function of {in_words(a.dom)} got {described(value)}",
                       e.span(node, frame), help="give values of the types that it takes")
    let = e.recorder.emit(Call(), [function, *atoms])
    if isinstance(a.cod, Product):
        return tuple([e.recorder.target(let, "", part) for part in a.cod.parts])
    return e.recorder.target(let, "", a.cod)


def call_known(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any
) -> Any:
    """The result of calling a Python function object."""
    rule = custom.rule_of(e, function)
    if rule is not None:
        return custom.custom(e, function, rule, (args, kwargs), node, frame)
    if unrepeatable(function):
        raise unsupported("CC032", f"the result depends on `{written(function, node)}`, which differs at each call",
                          e.place(node, frame), "a derivative is that of one function, not of a draw",
                          help="draw before, and pass the value as an argument")
    if isinstance(function, types.BuiltinFunctionType | type | types.FunctionType | types.WrapperDescriptorType):
        found = protocols.as_method(e, function, args, kwargs, node, frame)
        if found is not NotImplemented:
            return found
        args = protocols.arguments(e, function, args, node, frame)
        builtin = LIBRARY.get(function)
        if builtin is not None:
            return builtin(e, args, kwargs, node, frame)
        found = folded(function, args, kwargs)
        if found is not NotImplemented:
            return found
    if frame is not None and (found := called_object(e, function, args, kwargs, node, frame)) is not NotImplemented:
        return found
    writer = updates.writer(function)
    if writer is not None:
        return writer(e, args, kwargs, node, frame)
    adaptor = function if isinstance(function, Primitive) else registry.find(function)
    if adaptor is not None and kwargs.get("out") is not None:
        found = call_known(e, function, args, {k: v for k, v in kwargs.items() if k != "out"}, node, frame)
        return updates.with_out(e, function, args, kwargs["out"], found, node, frame)
    if adaptor is not None and isinstance(function, np.ufunc) and len(args) > function.nin:
        found = call_known(e, function, args[: function.nin], kwargs, node, frame)
        return updates.with_out(e, function, args[: function.nin], args[function.nin], found, node, frame)
    if adaptor is not None:
        numpys = isinstance(adaptor, Primitive) and is_of_numpy(function)
        operators = isinstance(adaptor, Primitive) and adaptor in registry.OPERATORS.values() and any(
            isinstance(a, Var) and isinstance(a.object, Array) for a in args)
        arrays = numpys or operators or isinstance(function, np.ufunc)
        return adapted(e, adaptor, args, kwargs, getattr(function, "__name__", "function"), node, frame, arrays,
                       function if is_of_numpy(function) else None)
    operator_ = OPERATORS.get(function) if isinstance(function, types.FunctionType) else None
    if operator_ is not None:
        return operator_(*args, **kwargs)
    if isinstance(function, types.MethodType) and records.is_method(function.__func__):
        return call(e, function.__func__, [function.__self__, *args], kwargs, node, frame)  # type: ignore[arg-type]
    inline = getattr(function, "__ccc_inline__", None)
    if inline is not None and not isinstance(function, type):
        return inline(e, args, kwargs, node, frame)
    if isinstance(function, types.FunctionType) and function.__code__ is DECORATED:
        return under_modes(e, function, args, kwargs, node, frame)
    if isinstance(function, types.FunctionType) and full_name(function) in INSTEAD:
        raise no_rule(e, function, args, node, frame)
    if isinstance(function, types.FunctionType):
        return call_user(e, function, args, kwargs, node, frame)
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        return records.call_method(e, function, args, kwargs, node, frame)
    if isinstance(function, functools.partial):
        given, named = given_by_partial(e, function, node, frame)
        return call(e, function.func, [*given, *args], {**named, **kwargs}, node, frame)  # type: ignore[arg-type]
    if isinstance(function, type) and records.is_exponential(function) and not any(map(variables_in, args)):
        return function(*args, **kwargs)
    if records.can_make(function):
        return records.make(e, function, args, kwargs, node, frame)  # type: ignore[arg-type]
    if callable(function) and records.is_record(function):
        instance = e.read(type(function).__name__, (id(function), "self"), function, e.reader(function), node, frame)
        return call(e, instance, args, kwargs, node, frame)  # type: ignore[arg-type]
    if isinstance(function, functools._lru_cache_wrapper):
        return call(e, function.__wrapped__, args, kwargs, node, frame)  # type: ignore[arg-type]
    if not is_function(function):
        raise mismatch("CC022", f"{described(function)} cannot be called", e.place(node, frame), help="call a function")
    raise no_rule(e, function, args, node, frame)


def given_by_partial(
    e: Elaboration, function: functools.partial[Any], node: ast.AST, frame: Frame | None
) -> tuple[list[Any], dict[str, Any]]:
    """What `functools.partial` was given outside, as values of the program."""
    reader = e.reader(function)

    def value(name: str, part: Any, label: Any, x: Any) -> Any:
        owner = Within(reader, getattr, "args") if part is item else reader
        return e.read(name, (id(function), label), x, Within(owner, part, label), node, frame)

    given = [value(f"arg{i}", item, i, x) for i, x in enumerate(function.args)]
    return given, {name: value(name, keyword, name, x) for name, x in function.keywords.items()}


DECORATED = np.errstate()(lambda: None).__code__
"""That of functions which `np.errstate` decorates."""


def under_modes(
    e: Elaboration, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any
) -> Any:
    """The result of a function that `np.errstate` decorates."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    state, around = cells["self"].cell_contents, e.recorder.errors
    given = {name: getattr(state, f"_{name}", None) for name in ("all", "divide", "over", "under", "invalid")}
    handler = getattr(state, "_call", None)
    e.recorder.errors = within(around, {**given, **({"call": handler} if callable(handler) else {})})
    try:
        return call(e, cells["func"].cell_contents, args, kwargs, node, frame)
    finally:
        e.recorder.errors = around


def frame_of(function: Any) -> Frame | None:
    """Where a function of Python's library stands that is read itself: with us, so that what is said of it is said of
    the call. None for others."""
    read = isinstance(function, types.BuiltinFunctionType | type | types.FunctionType) and function in LIBRARY
    return Frame(function.__name__, File(__file__, (), {}), function, None) if read else None


INSTEAD = {
    "repr": "write an f-string", "ascii": "write an f-string", "format": "write an f-string",
    "id": "compare with `is`", "hash": "compute it in the caller", "vars": "read the attributes one by one",
    "dir": "read the attributes one by one", "iter": "use a loop",
    "numpy.apply_along_axis": "use functions with an axis, or write the loop",
    "numpy.piecewise": "use np.select or np.where",
    "numpy.seterr": "write `with np.errstate(...):`", "numpy.seterrcall": "write `with np.errstate(call=...):`",
}
"""What to write instead of functions that need no derivative rule."""
TEXTS = "make the text in the caller"


def no_rule(e: Elaboration, function: Any, args: list[Any], node: ast.AST, frame: Any) -> UnsupportedPython:
    """The refusal of a function that can neither be read nor has a derivative."""
    cls = type(function)
    if is_called_object(function):
        own = f"make `{cls.__name__}` a dataclass, or make the object inside the function"
        return unsupported("CC020", f"objects of the class `{cls.__name__}` are not read", e.place(node, frame),
                           help="use functions of arrays, or write the loop" if cls is np.vectorize else
                           "use it in the caller" if is_installed(cls) else own)
    name, of_text = written(function, node), full_name(function).startswith("str.")
    names = ", ".join(string.ascii_lowercase[: len(args)]) if 0 < len(args) <= 26 else "*args"
    cts = ", ".join(["..."] * len(args))
    rule = f"`@ccc.derivative_of({name})` above `def rule({names}): return {name}({names}), lambda ct: ({cts})`"
    return unsupported("CC020", f"no derivative rule for `{full_name(function)}`", e.place(node, frame),
                       "it is no function of Python whose source could be read",
                       help=INSTEAD.get(full_name(function), f"give it one: {rule}" if not of_text else TEXTS))


def full_name(function: Any) -> str:
    """What a function is called, with its module."""
    what = getattr(function, "__qualname__", None) or getattr(function, "__name__", type(function).__name__)
    module = getattr(function, "__module__", None)
    return f"{module}.{what}" if module and module != "builtins" else what


def written(function: Any, node: ast.AST) -> str:
    """A function as it is called at a place."""
    text = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return text if text.replace(".", "").isidentifier() else full_name(function)


def adapted(
    e: Elaboration, adaptor: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], name: str, node: ast.AST,
    frame: Frame | None, arrays: bool = False, function: Any = None,
) -> Any:
    """A library function: arguments as it takes them, with `arrays` sequences as arrays, a refusal that names what it
    does not take."""
    plain = [natural(e, a, node, frame) for a in args]
    named = {k: natural(e, v, node, frame) for k, v in kwargs.items()}
    if isinstance(adaptor, Primitive) and isinstance(adaptor.source, str):
        wanted = adaptor.source.count("{}")
        if named or wanted != len(plain):
            raise unsupported("CC020", f"`{name}` with these arguments is not supported", e.place(node, frame),
                              f"it takes {wanted} without a name, {len(plain) + len(named)} were given",
                              help=f"give {wanted}")
    if not any(variables_in(natural_tree(a)) for a in [*plain, *named.values()]):
        return constant_call(e, adaptor, plain, named, name, node, frame)
    try:
        as_numpy_takes(function, plain, named)
        if arrays:
            plain = list(map(real_array, plain))
        found = adaptor(*plain, **named)
        fields = getattr(type(found), "_fields", None) if isinstance(found, tuple) else None
        return found if fields is None or isinstance(found, Node) else Node.of(type(found), fields, found)
    except TypeError as error:
        text = str(error)
        if "unexpected keyword" in text or "positional argument" in text or "required" in text:
            raise unsupported("CC020", f"`{name}` with these arguments is not supported", e.place(node, frame),
                              re.sub(r"^\S+\(\) ", "it ", text),
                              help="leave out the keyword, or compute it in two steps") from error
        raise


def as_method(name: str, owner: Any, *args: Any, **kwargs: Any) -> Any:
    return getattr(owner, name)(*args, **kwargs)


def is_of_numpy(function: Any) -> bool:
    return (getattr(function, "__module__", "") or "").startswith("numpy")


def as_numpy_takes(function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise NumPy's own `TypeError` for a flag or a list of numbers in an option's place that its function does not
    take: it is asked with samples of the arguments."""
    options = [*args[1:], *kwargs.values()]
    if function is None or not any(isinstance(x, bool) or is_list_of_numbers(x) for x in options):
        return
    refusal: TypeError | None = None
    for number in (1.0, 0.0):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                function(*[sampled(x, number) for x in args], **{k: sampled(x, number) for k, x in kwargs.items()})
        except TypeError as error:
            refusal = error
            continue
        except Exception:
            return  # a fault of the sample, or of what is found where the program runs
        return
    if refusal is not None:
        raise refusal


def is_list_of_numbers(x: Any) -> bool:
    return isinstance(x, list) and all(isinstance(item, int) for item in x)


def sampled(x: Any, number: float) -> Any:
    """A value with samples for what is not known."""
    if isinstance(x, list | tuple):
        return type(x)([sampled(item, number) for item in x])
    return sample(x.object, number) if isinstance(x, Var) else x


def constant_call(
    e: Elaboration, adaptor: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], name: str, node: ast.AST,
    frame: Frame | None,
) -> Any:
    """A call whose arguments are all known: scalars are computed now, arrays are made anew in each run."""
    if isinstance(adaptor, Primitive):
        return e.always(adaptor, tuple(args), **kwargs)
    seed = Marker(e.recorder)
    value = seed.run(adaptor, args, kwargs)
    return value


class Marker:
    """Runs an adaptor whose primitives must be recorded though their arguments are known."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder

    def run(self, adaptor: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        with recording(self.recorder):
            return adaptor(*args, **kwargs)


def natural(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value as a library function takes it."""
    if isinstance(value, ListValue):
        return [natural(e, v, node, frame) for v in value.items]
    if isinstance(value, RangeValue):
        return e.sequence(value, node, frame)
    if sums.is_sum(value):
        raise mismatch("CC027", f"this may be {described(value)} here", e.place(node, frame),
                       help="test it before: `is None`, or `isinstance`")
    if isinstance(value, TextValue):
        raise unsupported("CC003", "a text with values in it cannot be passed to this function", e.place(node, frame),
                          help="pass the values themselves")
    if isinstance(value, ClosureValue | ChoiceValue | MethodValue | IteratorValue):
        raise unsupported("CC022", f"{described(value)} cannot be passed to this function", e.place(node, frame),
                          help="pass numbers and arrays")
    return value


def natural_tree(value: Any) -> Any:
    return tuple(map(natural_tree, value)) if isinstance(value, list) else value


# -- user functions ----------------------------------------------------------------------------------------------


def call_user(
    e: Elaboration, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """Inline a user function."""
    source = source_of(function)
    code_of(e, function)
    if isinstance(source.node, ast.AsyncFunctionDef):
        raise unsupported("CC003", "`async def` is not supported", source.span(source.node), help="use `def`")
    where = e.place(node, frame)
    given = bound_arguments(
        source.node, function.__name__, args, kwargs, Defaults(e, function, node, frame), where
    )

    def body(values: dict[str, Any]) -> Any:
        inner = Frame(function.__name__, source.file, function, None, source.node, (node, frame))
        inner.env = dict(values)
        return body_of(e, source, inner)

    outer = e.recorder.span
    one = function if function.__closure__ else function.__code__  # closures of one code are functions of their own
    try:
        return entered(e, one, function.__name__, given, body, node, frame, e.top)
    except CompileError as error:
        if frame is not None:
            error.called_from(where)
        raise
    finally:
        e.recorder.span = outer


def default(function: Any, index: Any) -> Any:
    """A reader's part: a default of a parameter."""
    return function.__defaults__[index]


def named_default(function: Any, name: Any) -> Any:
    """A reader's part: a default of a parameter that has to be named."""
    return function.__kwdefaults__[name]


class Defaults(Mapping[str, Any]):
    """The defaults of a function as values of the program: arrays among them are hidden arguments."""

    def __init__(self, e: Elaboration, function: types.FunctionType, node: ast.AST, frame: Frame | None) -> None:
        self.e = e
        self.function = function
        self.place = node, frame
        code = function.__code__
        given = function.__defaults__ or ()
        first = code.co_argcount - len(given)
        self.positions = {code.co_varnames[first + i]: i for i in range(len(given))}

    def __getitem__(self, name: str) -> Any:
        function = self.function
        key = (id(function), "default", name)
        i = self.positions.get(name)
        if i is None and name not in (function.__kwdefaults__ or {}):
            raise KeyError(name)

        owner = self.e.reader(function)
        again = Within(owner, default, i) if i is not None else Within(owner, named_default, name)
        value = again(self.e.root)
        if isinstance(value, float):
            return watched(self.e, key, again)
        return self.e.read(name, key, value, again, *self.place)

    def __iter__(self) -> Iterator[str]:
        return iter([*self.positions, *(self.function.__kwdefaults__ or {})])

    def __len__(self) -> int:
        return len(list(iter(self)))
