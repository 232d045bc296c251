"""From Python functions to typed λ-programs, by abstract interpretation of the syntax at given types.

Known things are computed while elaborating (functions, modules, shapes of tuples); what depends on the arguments is
recorded as lets. Calls of user functions are inlined, nested functions become λs, loops stay loops with their carried
variables brought to a fixed point of type.

>>> from ccc.compile.program.pretty import program_text
>>> print(program_text(program_of(lambda x, y: x * y + x, (1.0, 2.0))))
λ x:R, y:R.
  t = x * y
  t2 = t + x
  t2
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ccc.compile.diagnostics import (
    CompileError,
    Diagnostic,
    TypeMismatch,
    WrongArguments,
    mismatch,
    nearest,
    unsupported,
    without_value,
)
from ccc.compile.frontend import (
    boxed,
    calls,
    closures,
    definitions,
    expressions,
    joins,
    outside,
    presence,
    protocols,
    reals,
    statements,
    sums,
)
from ccc.compile.frontend.bodies import is_cell
from ccc.compile.frontend.captures import Entry, Fixed, Free, Reader, Root, Within, inner
from ccc.compile.frontend.fitting import mend
from ccc.compile.frontend.loops import opened
from ccc.compile.frontend.memory import dicts, updates
from ccc.compile.frontend.memory.aliasing import is_object
from ccc.compile.frontend.memory.array_store import Versions
from ccc.compile.frontend.memory.dict_item_updates import Inside
from ccc.compile.frontend.memory.item_updates import Rows
from ccc.compile.frontend.memory.undo_log import Heap, Slot
from ccc.compile.frontend.outside import Guard, Hidden
from ccc.compile.frontend.paths import Ends, Paths
from ccc.compile.frontend.receivers_once import Once
from ccc.compile.frontend.records import part_names, parts_in, shaped
from ccc.compile.frontend.recursion import Bottom
from ccc.compile.frontend.source import FunctionNode, Source, source_of, span_in
from ccc.compile.frontend.survey import Survey
from ccc.compile.frontend.values import (
    ITEMS,
    NOT_YET,
    UNKNOWN_YET,
    ChoiceValue,
    ClosureValue,
    EndlessValue,
    EnumerateValue,
    Frame,
    ListValue,
    Perhaps,
    RangeValue,
    Recorder,
    RecordValue,
    Unbound,
    ZipValue,
    closed,
)
from ccc.compile.program.lam import Block, Lit, Node, Program, Tree, Var, label, leaves, like
from ccc.errors import CannotStage, CCCError
from ccc.objects import REAL, UNIT, Array, List, Map, Object, Product, Static
from ccc.objects_of_values import object_of
from ccc.primitives import structure
from ccc.records import parts_of
from ccc.wording import in_words


class Elaboration:
    """One run over a function: the recorder, what was read from outside, and the functions being inlined."""

    def __init__(self, root: Any = None, general: Collection[Any] = ()) -> None:
        self.root = root
        self.general = general
        self.readers: dict[int, tuple[Any, Any]] = {}
        self.recorder = Recorder()
        self.hidden: dict[Any, Hidden] = {}
        self.guards: dict[Any, Guard] = {}
        self.active: list[Any] = []
        self.frames: list[Frame] = []
        self.origins: dict[Var, list[Any]] = {}
        self.updates: list[tuple[Var, Any, str]] = []
        self.goes_on = statements.GOES_ON
        self.outside_values: dict[Any, Any] = {}
        self.waiting: list[Frame] = []
        self.heap = Heap()
        self.snapshots: dict[Any, Any] = {}
        self.inside_dicts = Inside()
        self.rows = Rows()
        self.slots: dict[tuple[Frame, str], Slot] = {}
        self.pending: list[Any] = []
        self.key_lists: dict[Var, RecordValue] = {}
        self.versions = Versions(self)
        self.recorder.reads = self.versions.used
        self.facts = sums.Facts()
        self.pieces: dict[Any, Any] = {}
        self.customs: dict[Any, Any] = {}
        self.plain: frozenset[Any] = frozenset()
        self.survey: Survey | None = None
        self.once = Once()
        self.warnings: dict[Any, Diagnostic] = {}
        self.looked_at: list[Var] = []
        self.differentiates = False
        self.top = self.recorder.block

    # -- running -----------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an expression."""
        handler = expressions.EXPRESSIONS.get(type(node))
        if handler is None:
            raise unsupported("CC003", f"`{type(node).__name__}` is not supported here", self.span(node, frame),
                              help="write it with simpler statements")
        mark = len(self.pending)
        value = self.once.value(node, lambda: self.guarded(handler, node, frame)) if self.once.open else self.guarded(
            handler, node, frame)
        if isinstance(value, Var):
            value = self.seen(value)
        del self.pending[mark:]
        if not isinstance(value, int | float | str):
            self.pending.append(value)
        return value

    def seen(self, var: Var) -> Any:
        """A variable as the front end reads it: a sum as the alternative that is left, an object with its parts."""
        if sums.is_sum(var):
            return sums.narrowed(self, var)
        return self.facts.object(self.recorder.block, var, opened) if is_object(var.object) else var

    def target(self, node: ast.expr, frame: Frame) -> Any:
        """The value of what stands left of an assignment: nothing but the assignment reads it."""
        mark = len(self.pending)
        value = self.expression(node, frame)
        del self.pending[mark:]
        return value

    def iterated(self, node: ast.expr, frame: Frame) -> Any:
        """The value of what is iterated: of an object what its `__iter__` gives."""
        return protocols.iterated(self, self.target(node, frame), node, frame)

    def warn(self, found: Diagnostic) -> None:
        """Note what may not be meant, once at each place."""
        self.warnings.setdefault((found.code, found.span), found)

    def guarded(self, handler: Callable[[Elaboration, Any, Frame], Any], node: ast.AST, frame: Frame) -> Any:
        """What the handler of a node gives; what is raised on the way becomes a diagnostic of that node. A survey goes
        on behind a statement that fails."""
        if self.survey is None or not isinstance(node, ast.stmt):
            return self.diagnosed(handler, node, frame)
        return self.survey.past(self, lambda: self.diagnosed(handler, node, frame), node, frame)

    def diagnosed(self, handler: Callable[[Elaboration, Any, Frame], Any], node: ast.AST, frame: Frame) -> Any:
        """What the handler of a node gives; what is raised on the way becomes a diagnostic of that node."""
        outer, self.recorder.span = self.recorder.span, self.span(node, frame)
        try:
            return handler(self, node, frame)
        except WrongArguments as error:
            raise error.placed(self.span(node, frame)) from None
        except CompileError:
            raise
        except CannotStage as error:
            raise unsupported("CC006", str(error), self.span(node, frame),
                              help="give all paths and runs one type") from error
        except RecursionError as error:
            raise unsupported("CC060", "the program is nested too deeply", self.span(node, frame),
                              help="split it over several assignments or functions") from error
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError, CCCError) as error:
            raise self.refused(error, node, frame) from error
        finally:
            self.recorder.span = outer

    def bind(self, target: ast.expr, value: Any, frame: Frame) -> None:
        """Assign a value to a target."""
        statements.bind(self, target, value, frame)

    def refused(self, error: Exception, node: ast.AST, frame: Frame) -> TypeMismatch:
        """An error that NumPy, Python or a rule raised about the values at a place, as a diagnostic of that place."""
        name = type(error).__name__
        text = str(error) or name
        if isinstance(error, CCCError):
            return mismatch(error.code, text, self.span(node, frame), help=error.help or mend(text))
        return mismatch("CC027", f"{name}: {text}", self.span(node, frame), help=mend(text))

    def span(self, node: ast.AST, frame: Frame) -> Any:
        return span_in(frame.file, node)

    def place(self, node: ast.AST, frame: Frame | None) -> Any:
        """The span of a node; None for the call that starts everything."""
        return None if frame is None else span_in(frame.file, node)

    def run(self, body: Sequence[ast.stmt], frame: Frame) -> Any:
        """Execute statements; gives the returned value, or `statements.GOES_ON`."""
        return statements.run(self, list(body), frame)

    def ends_of(self, body: Sequence[ast.stmt], frame: Frame) -> Paths:
        """Execute statements; gives how they end."""
        return statements.ends_of(self, list(body), frame)

    def inside(self, block: Block, run: Callable[[], Any]) -> Any:
        """What `run` gives, recording into `block`."""
        outer, self.recorder.block = self.recorder.block, block
        self.heap.begin(block)
        try:
            return run()
        finally:
            self.heap.end(block)
            self.recorder.block = outer

    def within(self, block: Block, run: Callable[[], Any]) -> Any:
        """What `run` gives, recorded at the end of a block that is already elaborated."""
        outer, self.recorder.block = self.recorder.block, block
        try:
            return run()
        finally:
            self.recorder.block = outer

    # -- names -------------------------------------------------------------------------------------------------

    def lookup(self, name: str, node: ast.AST, frame: Frame) -> Any:
        """The value of a name: local, of an enclosing function, global, builtin."""
        here = frame
        while name not in here.local and here.outer is not None:
            here = here.outer
        if name not in here.local:
            return self.outside(name, node, here, frame)
        value = here.env.get(name, NOT_YET)
        if name in here.cells and is_cell(value):
            value = value.fields[name]
        if isinstance(value, Perhaps):
            return presence.read(self, name, value, node, here, frame)
        if value is UNKNOWN_YET:
            raise Bottom
        if isinstance(value, Unbound) and value.raises:
            presence.fail(self, name, node, here, frame)
            raise Ends
        if isinstance(value, Unbound):
            code = value.code if self.survey is None else self.survey.code(value, name, here)
            raise mismatch(code, value.message.format(name), self.span(node, frame), value.why,
                           help=f"give `{name}` a value{' of one type' if value.code == 'CC006' else ''} before")
        return value

    def outside(self, name: str, node: ast.AST, here: Frame, frame: Frame) -> Any:
        function = here.function
        code = function.__code__
        if function.__closure__ is not None and name in code.co_freevars:
            cell = function.__closure__[code.co_freevars.index(name)]
            try:
                value = cell.cell_contents
            except ValueError:
                raise mismatch("CC007", f"`{name}` has no value yet", self.span(node, frame),
                               help="bind it before the call") from None
            again = Free(self.reader(function), code.co_freevars.index(name))
            return self.read(name, (id(cell), name), value, again, node, frame)
        space = function.__globals__
        if name in space:
            return self.read(name, (id(space), name), space[name], Entry(space, name), node, frame)
        if hasattr(builtins, name):
            return getattr(builtins, name)
        known = [*frame.local, *space, *dir(builtins)]
        raise mismatch("CC007", f"name `{name}` is not defined", self.span(node, frame),
                       help=nearest(name, known, "define or import it"))

    def read(self, name: str, key: Any, value: Any, read: Reader, node: ast.AST, frame: Frame | None) -> Any:
        """A value from outside: numbers and arrays become hidden arguments, all else a guard."""
        return outside.read(self, name, key, value, read, node, frame)

    def met(self, value: Any, reader: Any) -> bool:
        """Note how functions in a value from outside are read; true where the form of the function that is called
        tells which they are."""
        parts = inner(value)
        if parts is None:
            return False
        holds = isinstance(value, tuple | list)
        if not holds:
            _, known = self.readers.setdefault(id(value), (value, reader))
            if reader.rooted:
                self.guards["form", reader] = Guard(reader, None, formal=True)
            for one, other in ((known, reader), (reader, known)):
                if one.rooted and not other.rooted:
                    self.guards["only", one] = Guard(one, value)
        for how, which, part in parts:
            self.note(part, Within(reader, how, which))
        return reader.rooted

    def note(self, value: Any, reader: Any) -> None:
        """Note how something from outside is read."""
        if not self.met(value, reader):
            self.readers.setdefault(id(value), (value, reader))

    def reader(self, value: Any) -> Any:
        """How something from outside is read."""
        found = self.readers.get(id(value))
        return found[1] if found is not None else Fixed(value)

    def only(self, value: Any) -> Any:
        """How something from outside is read, in a program that is for no other in its place."""
        reader = self.reader(value)
        if reader.rooted:
            self.guards["only", reader] = Guard(reader, value)
        return reader

    def argument(self, name: str, value: Any) -> Tree:
        """A parameter for an argument, which may itself be a variable of another program."""
        if isinstance(value, Node) or type(value) is tuple:
            return like(value, [self.argument(f"{name}_{label(value, i)}", part) for i, part in enumerate(value)])
        if isinstance(value, RecordValue):
            return value.like([self.argument(f"{name}_{n}", part) for n, part in value.fields.items()], "the caller")
        if isinstance(value, Var):
            return self.opened(self.recorder.param(self.top, name, value.object))
        if isinstance(value, Object):
            return self.typed(name, value)
        return self.parameter(name, object_of(value), value)

    def argument_like(self, value: Any) -> Any:
        """A variable with the type of an example, bound nowhere."""
        a = value if isinstance(value, Object) else object_of(value)
        if isinstance(a, Product):
            return shaped(a, [self.argument_like(part) for part in a.parts], "the caller")
        return self.opened(Var("", a))

    def typed(self, name: str, a: Object) -> Tree:
        """A parameter of a given object."""
        if isinstance(a, Product):
            return shaped(a, [self.typed(n, part) for n, part in part_names(name, a)], "the caller")
        return a.value if isinstance(a, Static) else self.opened(self.recorder.param(self.top, name, a))

    def opened(self, param: Var) -> Any:
        """A parameter as the program sees it: a map as a dict that the caller sees."""
        return RecordValue(dict, {ITEMS: param}, "the caller") if isinstance(param.object, Map) else param

    def parameter(self, name: str, a: Object, value: Any) -> Tree:
        """A parameter of the program as a tree of variables; what is static stands for itself."""
        if a == List(UNIT):
            a = List(REAL)  # nothing is known of the items of an empty list: they may be numbers
        if isinstance(a, Static):
            return value
        parts = None if isinstance(value, list) else parts_of(value)
        if isinstance(a, Product) and parts is not None:
            found = [self.parameter(n, p, v) for (n, p), v in zip(part_names(name, a), parts, strict=True)]
            return shaped(a, found, "the caller")
        if isinstance(a, Product):
            raise unsupported("CC006", f"the items of the list `{name}` have no common type: {in_words(a)}", None,
                              help="pass a tuple")
        return self.recorder.param(self.top, name, a)

    def told_apart(self, *values: Any) -> None:
        """Functions among these are compared: which they are matters, not what they do alone."""
        for value in values:
            if isinstance(value, tuple | ListValue):
                self.told_apart(*(value.items if isinstance(value, ListValue) else value))
            elif id(value) in self.readers:
                self.only(value)

    # -- values ------------------------------------------------------------------------------------------------

    def leaf(self, value: Any, node: ast.AST, frame: Frame) -> Any:
        """A value as one atom of the program: displays of lists are built."""
        if isinstance(value, Unbound) and not isinstance(value, Perhaps):
            raise without_value(value, "an item", self.place(node, frame))
        if sums.is_of_group(value):
            return sums.generalised(self, value)
        if boxed.boxable(value) or isinstance(value, ChoiceValue):
            return sums.as_one(self, value)
        if isinstance(value, ListValue):
            if not value.items:
                return value
            return self.rows.copied(self, value, reals.listed(self, [self.leaf(v, node, frame) for v in value.items]))
        if isinstance(value, RangeValue):
            return self.sequence(value, node, frame)
        if isinstance(value, RecordValue) and ITEMS in value.fields:
            return value.fields[ITEMS]
        if isinstance(value, Node | RecordValue):
            if (whole := closed(value)) is not value and isinstance(whole, Var):
                return whole
            parts = [self.item(v, node, frame) for v in parts_in(value) or ()]
            names = value.names if isinstance(value, Node) else tuple(value.fields)
            made = self.always(structure.record, tuple(parts), cls=value.cls, names=names)
            return self.rows.copied(self, value, made) if isinstance(value, RecordValue) else made
        if isinstance(value, tuple):
            return self.always(structure.pack, tuple([self.leaf(v, node, frame) for v in value]))
        return value

    def item(self, value: Any, node: ast.AST, frame: Frame) -> Any:
        """A part of a value as one atom of the program, empty lists too."""
        found = self.leaf(value, node, frame)
        if isinstance(found, ListValue):
            return self.rows.copied(self, found, self.always(structure.listing, ()))
        return found

    def sequence(self, value: Any, node: ast.AST, frame: Frame) -> Var:
        """Something iterable as a list of the program."""
        if isinstance(value, RangeValue):
            return self.always(structure.span, value.bounds)
        if isinstance(value, RecordValue) and ITEMS in value.fields:
            return dicts.keys_list(self, value)
        if isinstance(value, ListValue | tuple):
            items = reals.alike(list(value.items if isinstance(value, ListValue) else value))
            return reals.listed(self, [self.leaf(v, node, frame) for v in items])
        if isinstance(value, Var) and isinstance(value.object, List):
            return value
        if isinstance(value, Var) and isinstance(value.object, Array):
            return structure.rows(value)
        if isinstance(value, EndlessValue):
            raise definitions.endless(self, node, frame)
        raise mismatch("CC027", "this cannot be iterated", self.span(node, frame),
                       f"it is {joins.described(value)}", help="loop over a range, an array, a list or a tuple")

    def always(self, primitive: Any, args: tuple[Any, ...], **params: Any) -> Any:
        """Apply a primitive as a let even where all its arguments are known."""
        return self.recorder.apply(primitive, args, params, None)

    def pattern(self, key: Any, node: ast.AST, frame: Frame) -> tuple[tuple[str, ...], list[Any]]:
        """An index as a constant pattern and its numbers."""
        return expressions.pattern_of(self, key, node, frame)

    def operate(self, op: ast.operator, a: Any, b: Any, node: ast.AugAssign, frame: Frame) -> Any:
        """`a op b` of two values."""
        return expressions.operate(self, op, a, b, node, frame)

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        """The result of a call."""
        return calls.call(self, function, args, kwargs, node, frame)

    def defaults(self, function: Any, node: ast.AST, frame: Frame | None) -> Any:
        """The defaults of a function as values of the program."""
        return calls.Defaults(self, function, node, frame)

    def written_by_call(self, array: Any, new: Var, node: ast.AST, frame: Frame | None) -> None:
        """Give an array, or what it is a view of, what a function left in it."""
        updates.commit(self, array, new, updates.WHOLE, node, None, frame, whole=True)

    def join(self, test: Var, then: tuple[Block, Any], orelse: tuple[Block, Any], node: ast.AST, frame: Frame) -> Any:
        """One value for two branches, and the let that makes it."""
        return joins.join(self, test, then, orelse, node, frame)


def signature_of(args: Sequence[Any]) -> tuple[Object, ...]:
    """The objects of the arguments of a call."""
    return tuple([object_of(arg) for arg in args])


class Elaborated:
    """A program with what it reads from outside."""

    __slots__ = ("differentiates", "guard_table", "hidden", "looked_at", "program", "source", "warnings")

    def __init__(
        self, program: Program, hidden: list[Hidden], guards: dict[Any, Guard], source: Source | None,
        warnings: Sequence[Diagnostic] = (), looked_at: Sequence[Var] = (),
        differentiates: bool = False,
    ) -> None:
        self.warnings = warnings
        self.looked_at = looked_at
        self.differentiates = differentiates
        self.program = program
        self.hidden = hidden
        self.guard_table = guards
        self.source = source

    @property
    def guards(self) -> list[Guard]:
        return list(self.guard_table.values())


def elaborate(
    function: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None, called_with: Sequence[Any] | None = None,
    general: Collection[Reader] = (), around: Elaboration | None = None,
) -> Elaborated:
    """The λ-program of a function at the types of arguments, given as example values, variables or objects.

    A function in the result has a type only where `called_with` says what it would be called with. Integers that the
    readers in `general` read are not known while compiling. A function met in a program is elaborated for what is
    `around` it.

    Raises `CompileError`s with file, line and caret where the function cannot be compiled.
    """
    if around is not None:
        e = Elaboration(around.root, around.general)
        e.note(function, around.reader(function))
    else:
        e = Elaboration(function, general)
        e.note(function, Root())
    return elaborated(e, function, args, kwargs or {}, called_with)


def surveyed(function: Any, args: Sequence[Any], kwargs: dict[str, Any], error: CompileError) -> None:
    """Add to an error what else is refused in a function."""
    e = Elaboration(function)
    e.note(function, Root())
    found = e.survey = Survey()
    try:
        elaborated(e, function, args, kwargs, None)
    except CompileError as last:
        found.diagnostics += last.diagnostics
    except Exception:  # what follows from an error may be anything
        pass
    error.extend(found.further(error.diagnostics))


def elaborated(
    e: Elaboration, function: Any, args: Sequence[Any], kwargs: dict[str, Any], called_with: Sequence[Any] | None
) -> Elaborated:
    """The program of a function, by this elaboration."""
    names = list(parameter_names(function, len(args), kwargs))
    trees: list[tuple[str, Tree]] = []
    for name, value in zip(names, [*args, *kwargs.values()], strict=True):
        trees.append((name, e.argument(name, value)))
    positional = [tree for _, tree in trees[: len(args)]]
    keywords = dict(zip(kwargs, [tree for _, tree in trees[len(args):]], strict=True))
    node = ast.Pass(lineno=0, col_offset=0, end_lineno=0, end_col_offset=0)
    try:
        result = calls.call_known(e, function, positional, keywords, node, calls.frame_of(function))
    except Ends:
        result = 0.0  # it raises on every path
    except RecursionError as error:
        raise unsupported("CC060", "the program is nested too deeply", None,
                          help="split it over several functions") from error
    if called_with is not None:
        result = closures.as_value(e, result, [e.argument_like(v) for v in called_with])
    source = source_of(function) if isinstance(function, types.FunctionType) else None
    tree = joins.result_tree(e, result, source)
    for leaf in leaves(tree):
        if isinstance(leaf, joins.FunctionLeaf):
            e.only(leaf.function)
    hidden = list(e.hidden.values())
    clean = [(name, _variables(tree_)) for name, tree_ in trees]
    clean += [(h.name, _variables(h.tree)) for h in hidden]
    name = getattr(function, "__name__", "f")
    program = Program("f" if name == "<lambda>" else name, clean, e.top, tree)
    for piece in e.pieces.values():
        piece.close()
    return Elaborated(program, hidden, e.guards, source, list(e.warnings.values()), e.looked_at, e.differentiates)


def parameter_names(function: Any, count: int, kwargs: dict[str, Any]) -> list[str]:
    """The names under which arguments arrive: the function's own for positional ones."""
    while hasattr(function, "__wrapped__") and getattr(function, "__code__", calls.DECORATED) is calls.DECORATED:
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    names: list[str] = list(code.co_varnames[: code.co_argcount]) if code is not None else []
    if isinstance(function, types.MethodType):
        names = names[1:]
    found = [names[i] if i < len(names) else f"arg{i}" for i in range(count)]
    return found + list(kwargs)


def _variables(tree: Any) -> Tree:
    """A parameter's tree with None for what is static."""
    if isinstance(tree, RecordValue) and ITEMS in tree.fields:
        return tree.fields[ITEMS]
    if isinstance(tree, RecordValue):
        return Node.of(tree.cls, tuple(tree.fields), map(_variables, tree.fields.values()))
    if isinstance(tree, tuple):
        return like(tree, map(_variables, tree))
    return tree if isinstance(tree, Var | Lit) else None


def program_of(function: Any, args: Sequence[Any]) -> Program:
    """The λ-program of a function at example arguments."""
    return elaborate(function, args).program


__all__ = [
    "ChoiceValue", "ClosureValue", "Diagnostic", "Elaborated", "Elaboration", "EnumerateValue", "FunctionNode", "Guard",
    "Hidden", "ZipValue", "elaborate", "program_of", "signature_of",
]
