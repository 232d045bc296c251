"""The `try`s around what is being elaborated: which exceptions they catch, and where something in them may raise one.

What raises surely leaves the statement (`Caught`). What raises on some paths ends it there on these (`Escape`): it goes
on, on the others, with the values that its expressions have had so far, which are computed once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ccc.compile.frontend import interrupts, iterator_values, values
from ccc.compile.frontend.describing import class_of
from ccc.compile.frontend.ends import ON, Flagged, Paths, Renamed
from ccc.compile.frontend.names import children
from ccc.compile.frontend.receivers_once import MISSING, Given
from ccc.compile.frontend.recorder import COMPUTED, Recorder
from ccc.compile.frontend.regions import is_reference
from ccc.compile.frontend.values import TOLD, Mutable, RecordValue
from ccc.compile.program.lam import Lit, Node, Var
from ccc.compile.program.sharing import is_foreign
from ccc.objects import Object
from ccc.objects_of_values import object_of
from ccc.primitives import arithmetic, effects, failures
from ccc.primitives.facts import CALL
from ccc.primitives.primitive import Primitive
from ccc.primitives.raising import may_overflow, may_raise

EXCEPTION = "the exception"
"""What stands for the name of what was raised: no name that a program could have."""
ARGS, MADE_OF = "args", "_ccc_made_of"
"""The parts of an exception: its arguments, and what it was made of; of what an operation raised, `TOLD` alone."""
PLAIN = ast.Constant | ast.Lambda | ast.Starred | ast.FormattedValue
TURNS = ("__iter__", "__getitem__")
"""The methods by one of which an object is iterated."""
NO_ITEMS, NO_TURNS = "'{}' object is not subscriptable", "'{}' object is not iterable"
"""What Python says of what has no items, and of what cannot be iterated."""
LACKING = {"__getitem__": NO_ITEMS, "__setitem__": "'{}' object does not support item assignment"}
"""What Python says of an object whose class has not such a method."""
ARMS = ast.IfExp | ast.BoolOp
LOOPS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
LIBRARIES = ("builtins", "numpy")
"""Where the classes are that operations raise."""


class Step:
    """A statement under way in a `try`: the values that its expressions have had, and what was asked of it."""

    def __init__(self, statement: ast.stmt) -> None:
        self.statement = statement
        parts = whole_parts(statement)
        self.names = {n for n in parts if isinstance(n, ast.Name) or is_stored(n)}
        self.values = Given.fromkeys([n for n in parts if n not in self.names], MISSING)
        self.stood_for: dict[ast.AST, Any] = {}  # what its names stood for: not in the calls that it makes
        self.asked: set[Any] = set()
        self.taken: dict[ast.AST, str] = {}
        self.parts: dict[Any, Any] = {}
        self.block: Any = None
        self.ways: list[tuple[Any, dict[Any, int]]] = []

    def begin(self, block: Any) -> None:
        """Be read in a block, once more or for the first time."""
        self.block, self.ways = block, [((), {})]

    def place(self, label: Any) -> Any:
        """A place of its own in the part that is read: the same one in each reading, whichever of the others are read
        again."""
        way, counts = self.ways[-1]
        number = counts[label] = counts.get(label, -1) + 1
        return (*way, (label, number))

    @contextmanager
    def below(self, label: Any) -> Iterator[Any]:
        """Within a part of what is under way, in a place of its own."""
        found = self.place(label)
        self.ways.append((found, {}))
        try:
            yield found
        finally:
            self.ways.pop()

    def saved(self) -> Callable[[], None]:
        """What takes the statement back to how far it is now."""
        values, stood_for = dict(self.values), dict(self.stood_for)
        asked, parts = set(self.asked), dict(self.parts)
        counted = [dict(counts) for _, counts in self.ways]

        def restore() -> None:
            self.values.update(values)
            self.stood_for = dict(stood_for)
            self.asked, self.parts = asked.copy(), dict(parts)
            self.ways = [(way, dict(counts)) for (way, _), counts in zip(self.ways, counted, strict=True)]

        return restore


def place_of(node: Any) -> tuple[Any, ...]:
    """The kind of a node and where it is written: those of a definition all stand at the call of it, and of these some
    are read again and others not."""
    return (type(node).__name__, *getattr(node, "written", ()), *stands_at(node))


PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def stands_at(node: Any) -> tuple[int, ...]:
    """Where a node begins and ends."""
    return tuple([getattr(node, name, 0) for name in PLACE])


def lasts(value: Any) -> bool:
    """Whether what a name stood for is the same when a statement is read again: nothing changes it in place, or it
    leads to what changes, as a reference does, a known list or object, and the variable of an array."""
    if is_reference(value) or value is None or isinstance(value, (int, float, str, Mutable)):
        return True
    if isinstance(value, (tuple, Node)):
        return all(map(lasts, value))
    return isinstance(value, Var) and isinstance(value.object, COMPUTED)


def is_stored(node: ast.AST) -> bool:
    """True for what is assigned to or deleted."""
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def whole_parts(statement: ast.stmt) -> list[ast.AST]:
    """The expressions that a statement computes once where it runs, as a `while` does not compute its test; none inside
    of another's arms. What `+=` changes is read first."""
    found: list[ast.AST] = []
    if isinstance(statement, (ast.For, ast.If, ast.Match)):
        heads = {"target", "iter", "test", "subject"}
        todo: list[ast.AST] = [part for name in heads if isinstance(part := getattr(statement, name, None), ast.AST)]
    elif isinstance(statement, (ast.FunctionDef, ast.Try, ast.With, ast.While)):
        todo = []
    else:
        todo = children(statement)
    while todo:
        part = todo.pop()
        read = not is_stored(part) or (isinstance(statement, ast.AugAssign) and part is statement.target)
        if isinstance(part, ast.expr) and read and not isinstance(part, PLAIN):
            found.append(part)
        if isinstance(part, ast.Compare) and len(part.ops) > 1:
            todo.append(part.left)
        elif not isinstance(part, (ARMS, LOOPS, ast.Lambda)):
            todo += children(part)
    return found


class Attempt:
    """A `try` whose body is being elaborated, with the classes that it catches."""

    def __init__(self, kinds: tuple[type, ...], all_of_them: bool = False) -> None:
        self.kinds = kinds
        self.all_of_them = all_of_them


class Attempts:
    """The `try`s around what is being elaborated, inner ones last, and the statements under way in them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.active: list[Attempt] = []
        self.steps: list[Step] = []
        self.handling: list[tuple[interrupts.Raised, Any]] = []
        self.finals: list[tuple[Any, Callable[[], Paths] | None]] = []

    def within(self, active: list[Attempt], run: Callable[[], Any]) -> Any:
        """What `run` gives in these `try`s."""
        outer, self.active = self.active, active
        self.recorder.asks = self.asked if active else None
        try:
            return run()
        finally:
            self.active = outer
            self.recorder.asks = self.asked if outer else None

    def begin(self, active: list[Attempt]) -> None:
        """Be in the `try`s around another program, which nothing that is raised in this one may leave for them."""
        self.active = active
        self.recorder.asks = self.asked if active else None

    def saved(self) -> Callable[[], None]:
        """What takes the statement under way back to how far it is now."""
        return self.steps[-1].saved() if self.active and self.steps else lambda: None

    def surely(self, run: Callable[[], Any]) -> Any:
        """What `run` gives, none of whose operations raises."""
        outer, self.recorder.asks = self.recorder.asks, None
        try:
            return run()
        finally:
            self.recorder.asks = outer

    def catches(self, kind: type) -> bool:
        """Whether an exception of this class is caught."""
        return any(issubclass(kind, other) for attempt in self.active for other in attempt.kinds)

    def raised(self, kind: type, value: Any) -> None:
        """Leave the statement under way with an exception, if it is caught."""
        if self.catches(kind):
            raise interrupts.Caught(interrupts.Raised(kind), value, self.recorder.block)

    def met(self, error: Exception) -> None:
        """Leave the statement under way with what plain Python raises of known values, if it is caught; an error that
        is about the compiler's own values is none."""
        if is_internal(error):
            return
        self.raised(type(error), RecordValue(type(error), {ARGS: error.args}))

    def lacks(self, value: Any, text: str, *methods: str) -> None:
        """Leave the statement under way with the TypeError of a value that cannot be used so, if it is caught; `text`
        says it with the name of its class. An object whose class has one of these methods can, though not here."""
        if self.catches(TypeError):
            cls = class_of(value) or (float if isinstance(value, Var) else type(value))
            if not isinstance(value, Var) and any(name in vars(base) for base in cls.__mro__ for name in methods):
                return
            self.raised(TypeError, RecordValue(TypeError, {ARGS: (text.format(cls.__name__),)}))

    def lacks_method(self, value: Any, name: str) -> None:
        """Leave it with what Python says of an object whose class has not a special method, where that is known."""
        if name in LACKING:
            self.lacks(value, LACKING[name], name)

    def again(self, kind: interrupts.Raised, value: Any) -> None:
        """Leave the statement under way with an exception that was caught, if it is caught once more."""
        if self.catches(kind.cls):
            raise interrupts.Caught(kind, value, self.recorder.block)

    def ask(self, p: Primitive, args: tuple[Any, ...], **params: Any) -> None:
        """Leave the statement under way with what an operation would raise that is not recorded itself."""
        if self.recorder.asks is not None:
            objects = tuple([x.object if isinstance(x, (Var, Lit)) else object_of(x) for x in args])
            self.asked(p, args, objects, params)

    def asked(self, p: Primitive, args: tuple[Any, ...], objects: tuple[Object, ...], params: dict[str, Any]) -> None:
        """Called before an operation is recorded: it may leave the statement with what that would raise."""
        if p is effects.fail:
            kind, *values = args
            forms = params["forms"]
            self.raised(kind, exception(self.recorder, kind, forms, values))
            return
        if p is failures.raise_again:
            self.raised(Exception, RecordValue(Exception, {TOLD: args[0]}))
            return
        if p.effect or not self.steps:
            return
        known = [(i, x) for i, x in enumerate(args) if isinstance(x, (int, float)) and not isinstance(x, bool)]
        overflows = self.catches(OverflowError) and may_overflow(p, objects, lambda: known)
        if not overflows and not may_raise(p, objects, params, lambda: known):
            return
        own = is_foreign(p) or p.plain.work == CALL
        kinds = tuple([kind for kind in self.candidates() if own or kind.__module__.partition(".")[0] in LIBRARIES])
        step = self.steps[-1]
        key = step.place("asked")
        if key in step.asked or not kinds:
            return
        step.asked.add(key)
        asking: dict[str, Any] = {"of": p, "params": tuple(params.items())}
        tests = refused(p, args, objects, params, kinds, overflows)
        if tests is None:
            code = self.recorder.apply(failures.failing, args, {**asking, "kinds": kinds}, None)
            tests = {kind: arithmetic.equal(code, i + 1) for i, kind in enumerate(kinds)}
        if not tests:
            return
        value = RecordValue(Exception, {TOLD: self.recorder.apply(failures.failure, args, asking, None)})
        flags: dict[str, Any] = {interrupts.Raised(kind, exact=False): test for kind, test in tests.items()}
        extras = {kind: {EXCEPTION: value} for kind in flags}
        raise interrupts.Escape(Flagged(flags, ON, {}, extras, None), self.recorder.block, again=True)

    def candidates(self) -> tuple[type, ...]:
        """The classes that are caught, each before those that it is one of; what is raised only to be raised again is
        not asked for."""
        found: list[type] = []
        for kind in dict.fromkeys([kind for attempt in self.active for kind in attempt.kinds]):
            i = next((i for i, other in enumerate(found) if issubclass(kind, other)), len(found))
            found.insert(i, kind)
        return tuple(found)

    # -- statements ----------------------------------------------------------------------------------------------

    def named(self, node: ast.AST, look: Callable[[], Any]) -> Any:
        """What a name or a place stands for: what it did when the statement under way came to it, for a call may give
        it another value before the statement is read again."""
        step = self.steps[-1] if self.steps else None
        if step is None or node not in step.names:
            return look()
        if node in step.stood_for:
            return step.stood_for[node]
        found = look()
        if self.recorder.block is step.block and lasts(found):
            step.stood_for[node] = found
        return found

    def value(self, node: ast.expr, run: Callable[[], Any]) -> Any:
        """The value of an expression of the statement under way."""
        if not self.steps:
            return run()
        step = self.steps[-1]
        try:
            with step.below(place_of(node)):
                return run()
        except (interrupts.Escape, interrupts.Caught, interrupts.Divided) as found:
            if self.is_statement(node):
                raise interrupts.AsStatement(node) from None
            if isinstance(found, interrupts.Escape) and found.part is None and found.node in (None, LAST):
                found.node = node
            raise

    def is_statement(self, node: ast.AST) -> bool:
        """Whether an expression is read as statements where it raises what is caught."""
        return bool(self.steps) and isinstance(node, (ARMS, LOOPS)) and node in self.steps[-1].values

    def part(self, run: Callable[[], Any]) -> Any:
        """The result of one of the calls that make a value of the statement under way. Each runs once, however often
        the statement is read, and what leaves it says nothing of what the others give."""
        if not self.active or not self.steps:
            return run()
        step = self.steps[-1]
        with step.below("part") as way:
            if way in step.parts:
                return step.parts[way]
            try:
                value = run()
            except interrupts.Escape as found:
                if found.node is None and found.part is None and not found.again:
                    found.part = step, way
                raise
            if self.recorder.block is step.block:
                step.parts[way] = value
            return value

    def divided(self, test: Var, run: Callable[[], Any]) -> Any:
        """The result of a branch between alternatives that the statement under way does not show."""
        block = self.recorder.block
        try:
            return run()
        except (interrupts.Caught, interrupts.Escape, interrupts.Divided) as found:
            if found.block is block or not self.steps:
                raise
            raise interrupts.Divided(test, block) from None

    def last(self, run: Callable[[], Any]) -> Any:
        """What code of a user's gives that a statement runs last, as a property that is assigned to."""
        try:
            return run()
        except interrupts.Escape as found:
            if not found.again and (found.node is None or found.node is LAST):
                found.node, found.part = LAST, None
            raise


OWN = frozenset(name for module in (values, iterator_values) for name, cls in vars(module).items()
                if isinstance(cls, type) and name.endswith("Value"))
"""The names of classes of values that the compiler has while it reads a program, and no program has."""


def is_internal(error: Exception) -> bool:
    """Whether an error is a mistake of the compiler's, or says of its own values what Python would say of others."""
    if isinstance(error, AttributeError):
        return type(error.obj).__module__.partition(".")[0] == "ccc"
    return isinstance(error, AssertionError) or not OWN.isdisjoint(re.findall(r"\w+", str(error)))


LAST = ast.Pass()
"""In the place of an expression: nothing of the statement is left to be done."""


def ends_by_storing(statement: ast.stmt) -> bool:
    """Whether a statement assigns to one place, which it does last."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    assigns = isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign))
    return assigns and len(targets) == 1 and isinstance(targets[0], (ast.Attribute, ast.Subscript))


def refused(
    p: Primitive, args: tuple[Any, ...], objects: tuple[Object, ...], params: dict[str, Any], kinds: Sequence[type],
    overflows: bool,
) -> dict[type, Var] | None:
    """Which of some classes of exceptions an operation raises one of, each with the term that says so; None where no
    term does, and the operation has to be tried."""
    refusal = p.refusal
    if refusal is None or (overflows and refusal.kind is not OverflowError) or not refusal.of(objects, params):
        return None
    caught = next((kind for kind in kinds if issubclass(refusal.kind, kind)), None)
    if caught is None:
        return {}
    test = refusal.test(*args, **params)
    return {caught: test} if isinstance(test, Var) else None if test else {}


def exception(recorder: Recorder, kind: type, forms: Any, values: list[Any]) -> RecordValue:
    """An exception with arguments of these forms."""
    given = list(values)
    args: list[Any] = []
    for form in forms:
        count = effects.fields(form)
        taken, given = given[:count], given[count:]
        if form is None:
            args.append(taken[0])
        elif all(isinstance(part, str) for part in form):
            args.append("".join(form))
        else:
            args.append(recorder.apply(effects.text, tuple(taken), {"form": form}, None))
    return RecordValue(kind, {ARGS: tuple([a.value if isinstance(a, Lit) else a for a in args])})


def leaving(paths: Paths, block: Any, names: dict[str, Any]) -> interrupts.Escape:
    """What leaves a call whose body ends as these paths do."""
    raised: dict[str, Any] = {
        kind: paths.names(kind)[EXCEPTION] for kind in paths.kinds if isinstance(kind, interrupts.Raised)}
    found = Renamed(paths, {"returns": ON})
    found.env = names
    found.extras = {kind: {EXCEPTION: value} for kind, value in raised.items()}
    return interrupts.Escape(found, block)


def is_exception(value: Any) -> bool:
    """True for what a `try` caught."""
    return isinstance(value, RecordValue) and isinstance(value.cls, type) and issubclass(value.cls, BaseException)


__all__ = [
    "ARGS",
    "EXCEPTION",
    "MADE_OF",
    "Attempt",
    "Attempts",
    "Step",
    "exception",
    "is_exception",
    "leaving",
]
