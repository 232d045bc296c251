"""The run over a function: its state, and the table of what the modules above do for those below.

A module that needs what stands on it (an expression may be a comprehension, a call may be of a method that assigns to
an array) asks the `Elaboration`, which has it from the table. `ccc.compile.frontend.elaborate` fills the table.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CellType
from typing import Any, NamedTuple, Protocol, TypeVar

from ccc.compile.diagnostics import (
    CompileError,
    Diagnostic,
    Span,
    TypeMismatch,
    WrongArguments,
    mismatch,
    nearest,
    unsupported,
)
from ccc.compile.frontend import interrupts, names as syntax_names, pieces, survey as surveys
from ccc.compile.frontend.activations import Activation, WrittenOut
from ccc.compile.frontend.attempts import Attempts
from ccc.compile.frontend.captures import Entry, Free, Reader
from ccc.compile.frontend.earlier import Items, Sites
from ccc.compile.frontend.earlier_lambdas import EarlierLambdas
from ccc.compile.frontend.ends import Paths
from ccc.compile.frontend.facts import Facts
from ccc.compile.frontend.fitting import mend
from ccc.compile.frontend.guards import MISSING, Guard, Hidden
from ccc.compile.frontend.lent import Lent, Site
from ccc.compile.frontend.memory.array_store import Versions
from ccc.compile.frontend.memory.notes import Inside, Rows
from ccc.compile.frontend.memory.undo_log import Heap, Slot
from ccc.compile.frontend.parts import is_cell, is_object, leads_to, opened, part_names, reopened, shaped
from ccc.compile.frontend.readings import Readings
from ccc.compile.frontend.receivers_once import Once
from ccc.compile.frontend.recorder import Recorder
from ccc.compile.frontend.source import span_in
from ccc.compile.frontend.stores import Stores
from ccc.compile.frontend.values import (
    ITEMS,
    NOT_YET,
    UNKNOWN_YET,
    UNSET,
    Frame,
    ListValue,
    Perhaps,
    RecordValue,
    Unbound,
)
from ccc.compile.program.lam import Block, Node, Tree, Var, label, like
from ccc.errors import CannotStage, CCCError
from ccc.objects import REAL, UNIT, Coproduct, List, Map, Object, Product, Static
from ccc.objects_of_values import object_of
from ccc.primitives import structure
from ccc.primitives.primitive import Primitive
from ccc.records import parts_of
from ccc.values import slotted

T = TypeVar("T")
Call = Callable[["Elaboration", Any, list[Any], dict[str, Any], ast.AST, Frame | None], Any]
Read = Callable[["Elaboration", str, Any, Any, Reader, ast.AST, Frame | None], Any]
OfNode = Callable[["Elaboration", Any, Frame], Any]
OfValue = Callable[["Elaboration", Any, ast.AST, Frame], Any]


@slotted
class Handlers:
    """What the modules above do for those below."""

    expressions: Mapping[type, OfNode]
    """The value of an expression, by its class."""
    run: Callable[[Elaboration, list[ast.stmt], Frame], Any]
    ends_of: Callable[[Elaboration, list[ast.stmt], Frame], Paths]
    bind: Callable[[Elaboration, ast.expr, Any, Frame], None]
    attribute: Callable[[Elaboration, Any, ast.Attribute, Frame], Any]
    operate: Callable[[Elaboration, ast.operator, Any, Any, ast.AST, Frame], Any]
    call: Call
    entered: Callable[..., Any]
    iterated: OfValue
    iterator: Callable[[Elaboration, Any, ast.AST, Frame | None], Any]
    """An iterator as the object that keeps how far it is, any other value itself."""
    sequence: Callable[[Elaboration, Any, ast.AST, Frame | None], Var]
    leaf: Callable[[Elaboration, Any, ast.AST, Frame | None], Any]
    narrowed: Callable[[Elaboration, Var], Any]
    made: Callable[[Elaboration, Var], set[Any]]
    """Where the memory of a variable was made."""
    perhaps: Callable[[Elaboration, str, Perhaps, ast.AST, Frame, Frame], Any]
    """The value of a name that may have none."""
    nameless: Callable[[Elaboration, str, ast.AST, Frame, Frame], None]
    """Records that a name is read which has no value."""
    outside: Read
    kept: Callable[[Elaboration, Any, ast.AST, Frame | None], Any]
    """A value to be kept under a name or in another one."""
    deleted: Callable[[Elaboration, Any, ast.Subscript, Frame], bool]
    """Whether an item was deleted of a list or dict in a store."""
    shown: Callable[[Elaboration, Any], Any]
    whole: Callable[[Elaboration, Any, ast.AST, Frame | None], Any]
    """What a reference leads to, and a value without references."""
    to_show: Callable[[Elaboration, str, Any, Any, ast.AST, Frame], tuple[Any, str]]
    read_out: Callable[[Elaboration, Any, ast.AST, Frame | None], Any]
    """What a reference leads to that leads to more of its kind, or a sum of references, without references."""
    loaded: Callable[[Elaboration, Any], Any]
    """A reference to an array as the array."""
    moved_in: Callable[[Elaboration, Site, Any], Any]
    """What the caller has at a site, moved into stores."""
    text: Callable[[Elaboration, Any, ast.AST, Frame | None], Any]
    """A value that may be a text made of values, known where it can be."""
    list_methods: Mapping[str, Callable[..., Any]]
    """The methods of lists that stand above those which change one in place."""


class DerivedCall(Protocol):
    """A call with a derivative of its own, as another call of the same finds it."""

    under_way: bool
    gives_them: bool
    primitive: Primitive | None
    captured: list[Var]
    tree: Tree


class Kept(NamedTuple):
    """A list that a function holds which is kept: its name there, where that was, and how many updates came before."""

    value: Var
    name: str
    block: Block | None
    updates: int


class Elaboration(Readings):
    """One run over a function: the recorder, what was read from outside, and the functions being inlined."""

    turns = 0
    stores: Stores | None = None
    survey: surveys.Survey | None = None
    around: Elaboration | None = None
    """That of the program around this one."""
    differentiates = False
    """A function is differentiated inside."""
    writes_inside = False
    """A function that is differentiated inside changes what it is given."""
    written_out: WrittenOut | None = None
    """The recursion that is written out."""
    makes_reals = False
    """Integers became reals, to stand beside some."""
    settles = False
    """Sizes and whole numbers of parameters are asked for where they have to be known."""

    def __init__(
        self, handlers: Handlers, root: Any = None, general: Collection[Reader] = (), lent: Lent | None = None
    ) -> None:
        super().__init__()
        self.handlers = handlers
        self.lent = lent or Lent()
        self.root = root
        self.general = general
        self.recorder, self.hidden = Recorder(), dict[Any, Hidden]()
        self.active: list[Activation] = []
        self.frames: list[Frame] = [self.lent.names] if self.lent.own else []
        self.origins = dict[Var, list[Any]]()
        self.updates: list[tuple[Var, Span | None, str]] = []
        self.cached: list[tuple[type, str]] = []
        self.columns = self.recorder.columns
        self.transposed: set[Var] = set()  # lists of these
        self.at_once = False  # loops whose turns are known are read turn by turn
        self.held, self.waiting = list[Kept](), list[Frame]()
        self.outside_values: dict[Any, Any] = {}
        self.heap = Heap()
        self.snapshots: dict[int | None, tuple[RecordValue, Var, Block]] = {}
        self.inside_dicts = Inside()
        self.rows = Rows(self.heap)
        self.slots, self.pending = dict[tuple[Frame, str], Slot](), list[Any]()
        self.key_lists: dict[Var, RecordValue] = {}
        self.versions = Versions(self.recorder, self.heap, lambda var: handlers.made(self, var))
        self.recorder.reads = self.versions.used
        self.facts, self.lambdas = Facts(), EarlierLambdas()
        self.pieces: dict[Any, pieces.Piece] = {}
        self.customs: dict[tuple[Any, Any], DerivedCall] = {}
        self.plain: frozenset[Any] = frozenset()
        self.once, self.inlined = Once(), dict[Any, Any]()  # calls of nested functions for which no λ serves
        self.in_turn, self.item_of_empty = Sites(), Items(REAL)
        """The generators that run in turn with what consumes them, the sites where such are made; see `earlier`."""
        self.items_given: set[Object] = set()  # of all of the caller's lists
        self.class_variables: dict[tuple[int, str], Any] = {}  # the objects for those that change
        self.local_classes: dict[Any, tuple[type, tuple[CellType, ...]]] = {}
        """Classes that functions under way define, and their cells, by their statement and the activation."""
        self.around_methods: dict[int, Frame] = {}
        """The activation that defines the class of a method, by cells in which it finds what it reads there."""
        self.running: list[Any] = []
        """Those that run, each with the loop that it runs along."""
        self.may_be_none: set[str] = set()
        """What loops along those return, by its name, where that may be None."""
        self.attempts = Attempts(self.recorder)
        self.warnings: dict[tuple[str, Span | None], Diagnostic] = {}
        self.looked_at, self.class_questions, self.kept_classes = list[Var](), list[tuple[Var, Any]](), list[Any]()
        self.given: dict[Var, Any] = {}
        """What parameters are in the call that code is made for; the parts of tuples and records lead to them."""
        self.stands_for: dict[Var, Any] = {}
        """What parameters of an inner program are in that around it."""
        self.read_in: dict[Block, Block] = {}
        """The blocks where closed programs are read."""
        self.settled: dict[tuple[Var, int], int] = {}
        """The sizes and whole numbers of parameters that had to be known: see `ccc.compile.frontend.settling`."""
        self.least: dict[tuple[Var, int], int] = {}
        """Those that may not be less than a number."""
        self.top, self.answers = self.recorder.block, set[Any]()

    # -- running -----------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an expression."""
        handler = self.handlers.expressions.get(type(node))
        if handler is None:
            raise unsupported("CC003", f"`{type(node).__name__}` is not supported here", self.span(node, frame),
                              help="write it with simpler statements")
        mark = len(self.pending)
        if self.attempts.active:
            value = self.once.value(
                node, lambda: self.attempts.value(node, lambda: self.guarded(handler, node, frame)))
        else:
            value = self.once.value(node, lambda: self.guarded(handler, node, frame)) if self.once.open else (
                self.guarded(handler, node, frame))
        if isinstance(value, Var):
            value = self.seen(value)
        if isinstance(value, Node):
            value = self.handlers.loaded(self, value)
        del self.pending[mark:]
        if not isinstance(value, (int, float, str)):
            self.pending.append(value)
        return value

    def seen(self, var: Var) -> Any:
        """A variable as the front end reads it: a sum as the alternative that is left, an object with its parts."""
        if isinstance(var.object, Coproduct):
            return self.handlers.narrowed(self, var)
        return self.facts.object(self.recorder.block, var, opened) if is_object(var.object) else var

    @contextmanager
    def meanwhile(self, *values: Any) -> Iterator[None]:
        """Let values be seen while something changes that is to hold them."""
        mark = len(self.pending)
        self.pending += values
        try:
            yield
        finally:
            del self.pending[mark:]

    def target(self, node: ast.expr, frame: Frame) -> Any:
        """The value of what stands left of an assignment: nothing but the assignment reads it."""
        mark = len(self.pending)
        value = self.expression(node, frame)
        del self.pending[mark:]
        return value

    def iterated(self, node: ast.expr, frame: Frame) -> Any:
        """The value of what is iterated: of an object what its `__iter__` gives."""
        return self.handlers.iterated(self, self.target(syntax_names.untupled(node), frame), node, frame)

    def warn(self, found: Diagnostic) -> None:
        """Note what may not be meant, once at each place."""
        self.warnings.setdefault((found.code, found.span), found)

    def guarded(self, handler: OfNode, node: ast.AST, frame: Frame) -> Any:
        """What the handler of a node gives, or a diagnostic there; a survey goes on behind a statement that fails."""
        if self.survey is None or not isinstance(node, ast.stmt):
            return self.diagnosed(handler, node, frame)
        return self.survey.past(lambda: self.diagnosed(handler, node, frame), node, frame)

    def diagnosed(self, handler: OfNode, node: ast.AST, frame: Frame) -> Any:
        """What the handler of a node gives; what is raised on the way becomes a diagnostic of that node."""
        outer, self.recorder.at = self.recorder.at, (frame.file, node)
        try:
            return handler(self, node, frame)
        except WrongArguments as error:
            raise error.placed(self.span(node, frame)) from None
        except CompileError as error:
            raise error.standing(self.span(node, frame)) from error.__cause__
        except CannotStage as error:
            raise unsupported("CC006", str(error), self.span(node, frame),
                              help="give all paths and runs one type") from error
        except RecursionError as error:
            raise unsupported("CC060", "the program is nested too deeply", self.span(node, frame),
                              help="split it over several assignments or functions") from error
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError, CCCError) as error:
            if self.attempts.active and not isinstance(error, CCCError):
                self.attempts.met(error)
            raise self.refused(error, node, frame) from error
        finally:
            self.recorder.at = outer

    def bind(self, target: ast.expr, value: Any, frame: Frame) -> None:
        """Assign a value to a target."""
        self.handlers.bind(self, target, value, frame)

    def refused(self, error: Exception, node: ast.AST, frame: Frame) -> TypeMismatch:
        """An error that NumPy, Python or a rule raised about the values at a place, as a diagnostic of that place."""
        name = next(cls.__name__ for cls in type(error).__mro__ if not cls.__module__.startswith("ccc."))
        text = str(error) or name
        if isinstance(error, CCCError):
            return mismatch(error.code, text, self.span(node, frame), help=error.help or mend(text))
        return mismatch("CC027", f"{name}: {text}", self.span(node, frame), help=mend(text))

    def span(self, node: ast.AST, frame: Frame) -> Span:
        """The span of a node."""
        return span_in(frame.file, node)

    def place(self, node: ast.AST, frame: Frame | None) -> Span | None:
        """The span of a node; None for the call that starts everything."""
        return None if frame is None else span_in(frame.file, node)

    def run(self, body: Sequence[ast.stmt], frame: Frame) -> Any:
        """Execute statements; gives the returned value, or `GOES_ON`."""
        return self.handlers.run(self, list(body), frame)

    def ends_of(self, body: Sequence[ast.stmt], frame: Frame) -> Paths:
        """Execute statements; gives how they end."""
        return self.handlers.ends_of(self, list(body), frame)

    def inside(self, block: Block, run: Callable[[], T]) -> T:
        """What `run` gives, recording into `block`."""
        outer, self.recorder.block = self.recorder.block, block
        self.heap.begin(block)
        try:
            return run()
        finally:
            self.heap.end(block)
            self.recorder.block = outer

    def within(self, block: Block, run: Callable[[], T]) -> T:
        """What `run` gives, recorded at the end of a block that is already elaborated, where what that changed holds
        what it holds then."""
        outer, self.recorder.block = self.recorder.block, block
        try:
            return self.heap.further(block, run) if self.heap.changed(block) else run()
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
            return self.loaded(self.handlers.perhaps(self, name, value, node, here, frame))
        if value is UNKNOWN_YET:
            raise interrupts.Bottom
        if value is UNSET:  # no way that is taken leads here
            raise interrupts.Ends
        if isinstance(value, Unbound) and (value.raises or self.only_raises(value)):
            self.handlers.nameless(self, name, node, here, frame)
            raise interrupts.Ends
        if isinstance(value, Unbound):
            code = value.code if self.survey is None else self.survey.code(value, name, here)
            raise mismatch(code, value.message.format(name), self.span(node, frame), value.why,
                           help=f"give `{name}` a value{' of one type' if value.code == 'CC006' else ''} before")
        return self.loaded(value)

    def only_raises(self, value: Unbound) -> bool:
        """True for a name that surely has no value, read on a path that may not be taken."""
        return value.absent and self.survey is None and not self.recorder.surely_runs()

    def loaded(self, value: Any) -> Any:
        """A value that is read: a reference to an array as the array."""
        return self.handlers.loaded(self, value) if isinstance(value, Node) else value

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
        for space in (function.__globals__, builtins.__dict__):
            if name in space:
                return self.read(name, (id(space), name), space[name], Entry(space, name), node, frame)
            self.guards["shown", id(space), name] = Guard(Entry(space, name), MISSING)
        self.attempts.met(NameError(f"name '{name}' is not defined"))
        known = [*frame.local, *function.__globals__, *dir(builtins)]
        raise mismatch("CC007", f"name `{name}` is not defined", self.span(node, frame),
                       help=nearest(name, known, "define or import it"))

    def read(self, name: str, key: Any, value: Any, read: Reader, node: ast.AST, frame: Frame | None) -> Any:
        """A value from outside: numbers and arrays become hidden arguments, all else a guard."""
        return self.handlers.outside(self, name, key, value, read, node, frame)

    def argument(self, name: str, value: Any) -> Any:
        """A parameter for an argument, which may itself be a variable of another program."""
        if isinstance(value, Node) or type(value) is tuple:
            parts = [self.argument(f"{name}_{label(value, i)}", part) for i, part in enumerate(value)]
            return reopened(like(value, parts))
        if isinstance(value, RecordValue):
            return value.like([self.argument(f"{name}_{n}", part) for n, part in value.fields.items()], "the caller")
        if isinstance(value, Var):
            var = self.recorder.param(self.top, name, value.object)
            self.stands_for[var] = value
            return self.opened(var)
        if isinstance(value, Object):
            return self.typed(name, value)
        return self.parameter(name, object_of(value), value)

    def argument_like(self, value: Any) -> Any:
        """A variable with the type of an example, bound nowhere."""
        a = value if isinstance(value, Object) else object_of(value)
        if isinstance(a, Product):
            return shaped(a, [self.argument_like(part) for part in a.parts], "the caller")
        return self.opened(Var("", a))

    def typed(self, name: str, a: Object) -> Any:
        """A parameter of a given object."""
        if isinstance(a, Product):
            return shaped(a, [self.typed(n, part) for n, part in part_names(name, a)], "the caller")
        return a.value if isinstance(a, Static) else self.opened(self.recorder.param(self.top, name, a))

    def opened(self, param: Var) -> Var | RecordValue:
        """A parameter as the program sees it: a map as a dict that the caller sees."""
        return RecordValue(dict, {ITEMS: param}, "the caller") if isinstance(param.object, Map) else param

    def parameter(self, name: str, a: Object, value: Any, plain: bool = True) -> Tree:
        """A parameter of the program as a tree of variables; what is static stands for itself. It is `plain` where no
        more than the parts of tuples and records lead to it."""
        if isinstance(a, List):
            self.items_given.add(a.item)
        if a == List(UNIT):
            a = List(self.item_of_empty.object())  # nothing is known of its items: they may be numbers
        if isinstance(a, Static):
            return value
        parts = parts_of(value)
        if isinstance(a, Product) and parts is not None:
            plain = plain and leads_to(value, a, parts)
            found = [self.parameter(n, p, v, plain) for (n, p), v in zip(part_names(name, a), parts, strict=True)]
            return shaped(a, found, "the caller")
        var = self.recorder.param(self.top, name, a)
        if plain:
            self.given[var] = value
        return var

    # -- values ------------------------------------------------------------------------------------------------

    def key(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an index or a key."""
        return self.handlers.text(self, self.expression(node, frame), node, frame)

    def leaf(self, value: Any, node: ast.AST, frame: Frame | None) -> Any:
        """A value as one atom of the program: displays of lists are built, but for an empty one."""
        return self.handlers.leaf(self, value, node, frame)

    def kept(self, value: Any, node: ast.AST, frame: Frame | None) -> Any:
        """A value to be kept in another: an iterator as object, what Python could change in a store, where any is."""
        return self.handlers.kept(self, self.handlers.iterator(self, value, node, frame), node, frame)

    def item(self, value: Any, node: ast.AST, frame: Frame | None) -> Any:
        """A part of a value as one atom of the program, empty lists too."""
        found = self.leaf(value, node, frame)
        if isinstance(found, ListValue):
            return self.rows.copied(found, self.always(structure.listing, ()))
        return found

    def sequence(self, value: Any, node: ast.AST, frame: Frame | None) -> Var:
        """Something iterable as a list of the program."""
        return self.handlers.sequence(self, value, node, frame)

    def always(self, primitive: Any, args: tuple[Any, ...], **params: Any) -> Any:
        """Apply a primitive as a let even where all its arguments are known."""
        return self.recorder.apply(primitive, args, params, None)

    def attribute(self, owner: Any, node: ast.Attribute, frame: Frame) -> Any:
        """The attribute of a value."""
        return self.handlers.attribute(self, owner, node, frame)

    def operate(self, op: ast.operator, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
        """`a op b` of two values."""
        return self.handlers.operate(self, op, a, b, node, frame)

    def call(
        self, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
    ) -> Any:
        """The result of a call."""
        if not self.attempts.active:
            return self.handlers.call(self, function, args, kwargs, node, frame)
        return self.attempts.part(lambda: self.handlers.call(self, function, args, kwargs, node, frame))
