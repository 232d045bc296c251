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
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ccc.compile.diagnostics import CompileError, Diagnostic, unsupported
from ccc.compile.frontend import (
    absences,
    atoms,
    attributes,
    calls,
    classes_at_run,
    closures,
    cursors,
    definitions,
    expressions,
    interrupts,
    known_functions,
    misused,
    operators,
    outside,
    pictures,
    presence,
    protocols,
    reading_out,
    recursion,
    result_trees,
    sequences,
    statements,
    stores,
    sums,
    survey,
    switch,
    texts,
    written,
)
from ccc.compile.frontend.captures import Fixed, Reader, Root, Within
from ccc.compile.frontend.earlier import Asked, Earlier, Items, Sites
from ccc.compile.frontend.elaboration import Elaboration, Handlers
from ccc.compile.frontend.guards import Guard, Hidden
from ccc.compile.frontend.lending import lend, read_first
from ccc.compile.frontend.lent import Changed, Lent, Site, WriteBack
from ccc.compile.frontend.memory.interface import kept, kept_functions, list_queries, memory, stored
from ccc.compile.frontend.regions import Regions
from ccc.compile.frontend.source import File, Source, source_of
from ccc.compile.frontend.stand_ins import refuse_stand_ins
from ccc.compile.frontend.stores import Stores
from ccc.compile.frontend.turns import in_turns
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, RecordValue, is_function
from ccc.compile.program import unread_powers
from ccc.compile.program.lam import Apply, FunctionLeaf, Lit, Node, Program, Var, VarTree, leaves, lets_in, like
from ccc.later import deferred
from ccc.objects import INT, REAL, TEXT, UNIT, Object

T = TypeVar("T")


def call(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Frame | None
) -> Any:
    """The result of calling any value, or what Python raises of it where the program may not come there."""
    surely = frame is None or e.recorder.surely_runs() or not isinstance(function, (types.BuiltinFunctionType, type))
    return (calls if surely or kwargs else misused).call(e, function, args, kwargs, node, frame)


HANDLERS = Handlers(
    expressions=expressions.EXPRESSIONS,
    run=statements.run,
    ends_of=statements.ends_of,
    bind=statements.bind,
    attribute=attributes.attribute_of,
    operate=operators.operate,
    call=call,
    entered=recursion.entered,
    iterated=protocols.iterated,
    iterator=cursors.as_object,
    sequence=atoms.sequence,
    leaf=atoms.leaf,
    narrowed=sums.narrowed,
    made=lambda e, var: memory(e, [var])[0],
    perhaps=deferred(presence, "read"),
    kept=kept,
    deleted=stored.deleted,
    shown=stored.shown,
    whole=stored.whole,
    read_out=deferred(reading_out, "read_out"),
    to_show=deferred(pictures, "to_show"),
    loaded=stored.loaded,
    moved_in=stored.moved_in,
    nameless=deferred(presence, "fail"),
    outside=outside.read,
    text=texts.text,
    list_methods={
        "index": deferred(list_queries, "index"), "count": deferred(list_queries, "count"),
        "remove": deferred(list_queries, "remove"), "sort": deferred(sequences, "sort"),
    },
)
"""What the modules below `ccc.compile.frontend.elaborate` do for each other."""
stores.COMPILED.update(HANDLERS.list_methods.values())


class Elaborated:
    """A program with what it reads from outside and what it `writes` back; `of_integers` is what that would be where
    the ints that are read as floats were ints. `key` is what it may be known by to others,
    `shows_integers` says that it shows as ints what it reads as floats, so that it is not for calls with floats."""

    __slots__ = (
        "differentiates", "guard_table", "hidden", "key", "least", "looked_at", "of_integers", "places",
        "program", "settled", "shows_integers", "source", "warnings", "writes", "writes_inside",
    )  # fmt: skip

    def __init__(
        self, program: Program, hidden: list[Hidden], guards: dict[Any, Guard], source: Source | None,
        settled: Mapping[tuple[Var, int], int], warnings: Sequence[Diagnostic] = (), looked_at: Sequence[Var] = (),
        differentiates: bool = False, writes: WriteBack | None = None, writes_inside: bool = False,
        least: Mapping[tuple[Var, int], int] | None = None,
    ) -> None:
        self.writes = writes
        self.of_integers: WriteBack | None = None
        self.key: Any = None
        self.shows_integers = False
        self.settled = settled
        self.least = least or {}
        self.places: list[str] = []
        self.warnings = warnings
        self.looked_at = looked_at
        self.differentiates = differentiates
        self.writes_inside = writes_inside
        self.program = program
        self.hidden = hidden
        self.guard_table = guards
        self.source = source

    @property
    def state(self) -> Any:
        """What it gives to be written back; None where it writes nothing."""
        return None if self.writes is None else self.writes.state

    @property
    def guards(self) -> list[Guard]:
        return list(self.guard_table.values())


def elaborate(
    function: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None, called_with: Sequence[Any] | None = None,
    general: Collection[Reader] = (), around: Elaboration | None = None, writes: bool = False, settles: bool = False,
) -> Elaborated:
    """The λ-program of a function at the types of arguments, given as example values, variables or objects.

    A function in the result has a type only where `called_with` says what it would be called with. Integers that the
    readers in `general` read are not known while compiling. A function met in a program is elaborated for what is
    `around` it. What it changes of its arguments, and outside, is refused but where the caller `writes` it back. Sizes
    are known as in the arguments where that has to be and the caller `settles` for it: looks at `settled` in each call.

    Raises `CompileError`s with file, line and caret where the function cannot be compiled.
    """
    in_turn, given = Sites() if around is None else around.in_turn, set[Object]()
    item_of_empty: Object | None = None

    def items() -> Items:
        return Items(item_of_empty or UNIT) if around is None else around.item_of_empty

    def once(own: frozenset[Site], regions: Regions | None, empty: Items) -> Elaborated:
        lent = Lent(own, writes and (regions is None or around is None))
        e = begun(function, general, lent, settles, around)
        e.in_turn, e.items_given, e.item_of_empty = in_turn, given, empty
        e.stores = None if regions is None else Stores(regions, e.top)
        try:
            found = elaborated(e, function, args, kwargs or {}, called_with)
        finally:
            if regions is not None and lent.writes:
                regions.sites = frozenset(lent.sites.values())
            elif around is None:
                earlier.seen.update(lent.sites.values())
        return found if regions is None else in_stores(found, regions)

    earlier = Earlier(in_turn, items)

    def reading(regions: Regions | None, asked: Asked) -> Elaborated:
        if regions is not None:
            return earlier.noting(asked, lambda empty: once(regions.lent, regions, empty))
        return with_own_places(lambda own: earlier.plain(own, lambda empty: once(own, None, empty), around is None))

    first: CompileError | None = None
    others: Iterator[Object] | None = None
    try:
        while True:
            try:
                return in_turns(reading, earlier)
            except interrupts.InTurn as found:
                assert found.site not in in_turn.known  # it would be read so for ever
                in_turn.add(found.site)
            except CompileError as error:
                first = error if first is None or item_of_empty == REAL else first
                if around is None and in_turn.settle():
                    continue
                others = others or iter(other_items(given) if around is None else ())
                item_of_empty = next(others, None)
                if item_of_empty is None:
                    raise first from None
    finally:
        earlier.forget(*earlier.tried)
        if around is None:
            in_turn.asked.clear()  # an elaboration may be in a circle, where what it holds would stay


def begun(
    function: Any, general: Collection[Reader], lent: Lent, settles: bool, around: Elaboration | None
) -> Elaboration:
    """The elaboration of a function, for what is around it."""
    outer = around is None
    e = Elaboration(HANDLERS, function if outer else around.root, general if outer else around.general, lent)
    e.around, e.settles = around, settles if outer else around.settles
    if not outer:
        e.attempts.begin(around.attempts.active)
    e.note(function, Root() if outer else around.reader(function))
    return e


def in_stores(found: Elaborated, regions: Regions) -> Elaborated:
    """What was read with stores: it says where places stand, and holds as long as stores are allowed."""
    found.places = regions.told()
    found.guard_table["stores"] = Guard(Within(Fixed(switch), switch.said, "when"), switch.when())
    return found


def other_items(items: Collection[Object]) -> Sequence[Object]:
    """What the items of the caller's empty lists may be where they cannot be anything: texts, where there are lists of
    these, or numbers."""
    return () if UNIT not in items else (TEXT, INT, REAL) if TEXT in items else (INT, REAL)


def with_own_places(read: Callable[[frozenset[Site]], T]) -> T:
    """What is read of a function that is given the sites which it changes, found on the way, as places of its own."""
    own: frozenset[Site] = frozenset()
    while True:
        try:
            return read(own)
        except Changed as changed:
            assert not own.issuperset(changed.sites)  # it would be read so for ever
            own |= changed.sites


def surveyed(function: Any, args: Sequence[Any], kwargs: dict[str, Any], error: CompileError) -> None:
    """Add to an error what else is refused in a function."""

    def once(own: frozenset[Site]) -> survey.Survey:
        e = Elaboration(HANDLERS, function, lent=Lent(own, writes=True))
        e.settles = True
        e.note(function, Root())
        found = e.survey = survey.Survey()
        try:
            elaborated(e, function, args, kwargs, None)
        except Changed:
            raise
        except CompileError as last:
            found.diagnostics += last.diagnostics
        except (Exception, interrupts.InTurn):  # what follows from an error may be anything
            pass
        return found

    error.extend(with_own_places(once).further(error.diagnostics))


def elaborated(
    e: Elaboration, function: Any, args: Sequence[Any], kwargs: dict[str, Any], called_with: Sequence[Any] | None
) -> Elaborated:
    """The program of a function, by this elaboration, which nothing is remembered of when it is over."""
    try:
        with absences.noting() as absent:
            found = read_program(e, function, args, kwargs, called_with)
        found.guard_table.update(absences.guards(absent))
        return found
    finally:
        for piece in e.pieces.values():
            piece.close()
            if e.stores is None:
                piece.forget()


def read_program(
    e: Elaboration, function: Any, args: Sequence[Any], kwargs: dict[str, Any], called_with: Sequence[Any] | None
) -> Elaborated:
    """The program of a function, by this elaboration."""
    names = list(parameter_names(function, len(args), kwargs))
    values = [*args, *kwargs.values()]
    trees = [(name, e.argument(name, value)) for name, value in zip(names, values, strict=True)]
    clean = [(name, _variables(tree_)) for name, tree_ in trees]
    e.lent.begin(e.root, values)
    if e.stores is not None:
        from ccc.compile.frontend.memory.interface import places, stored_arrays

        places.begin(e)
        stored_arrays.begin(e)
    given = [lend(e, Site(i, (), None, name), tree, values[i]) for i, (name, tree) in enumerate(trees)]
    read_first(e)
    if e.stores is not None:
        e.stores.began()
        if e.stores.regions.learnt():
            raise interrupts.Begun
    positional = given[: len(args)]
    keywords = dict(zip(kwargs, given[len(args):], strict=True))
    node = ast.Pass(lineno=0, col_offset=0, end_lineno=0, end_col_offset=0)
    try:
        result = calls.call_known(e, function, positional, keywords, node, known_functions.frame_of(function))
    except interrupts.Ends:
        result = 0.0  # it raises on every path
    except RecursionError as error:
        raise unsupported("CC060", "the program is nested too deeply", None,
                          help="split it over several functions") from error
    source = source_of(function) if isinstance(function, types.FunctionType) else None
    if called_with is not None:
        result = called_later(e, result, [e.argument_like(v) for v in called_with], node, source)
    result = stored.whole(e, result, node, None)
    tree = result_trees.result_tree(e, result, source)
    for leaf in leaves(tree):
        if isinstance(leaf, FunctionLeaf):
            e.only(leaf.function)
    kept_functions.check(e)
    writes = written.finished(e, source, values)
    if e.around is None:
        given, stores = (writes.state, writes.stores) if writes is not None else ((), ())
        place = None if source is None else source.span(source.node)
        refuse_stand_ins([tree, *given], [one.cls for one in stores if not hasattr(one.cls, "__ccc_gives__")], place)
    if e.class_questions or e.kept_classes:
        classes_at_run.settle(e)
    hidden = list(e.hidden.values())
    clean += [(h.name, _variables(h.tree)) for h in hidden]
    name = getattr(function, "__name__", "f")
    program = Program("f" if name == "<lambda>" else name, clean, e.top, tree)
    program.answers = frozenset(e.answers)
    e.versions.entrywise.clear()  # which may be in a circle, where what it holds would stay
    if e.around is None:
        if any(isinstance(let.op, Apply) and let.op.primitive.powers for let in lets_in(e.top)):
            unread_powers.keep(program)
        e.recorder.end()
    return Elaborated(program, hidden, e.guards, source, e.settled, list(e.warnings.values()), e.looked_at,
                      e.differentiates, writes, e.writes_inside, e.least)


def called_later(e: Elaboration, result: Any, args: list[Any], node: ast.AST, source: Source | None) -> Any:
    """A result that can be called as a λ of the program, for arguments of known types; another one as it is."""
    found = closures.as_value(e, result, args)
    owner = found.cls.__mro__ if isinstance(found, RecordValue) and isinstance(found.cls, type) else ()
    calls_itself = any("__call__" in vars(cls) for cls in owner)
    if not (is_function(found) or calls_itself or (isinstance(found, Var) and sums.is_sum(found))):
        return found
    frame = Frame("function", source.file if source is not None else File(__file__, ()), None, None)
    return closures.as_value(e, definitions.defined(e, "expanded", [found], node, frame), args)


def parameter_names(function: Any, count: int, kwargs: dict[str, Any]) -> list[str]:
    """The names under which arguments arrive: the function's own for positional ones; where it wraps another one and
    names none, those of that."""
    while hasattr(function, "__wrapped__") and not getattr(getattr(function, "__code__", None), "co_argcount", 0):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    names: list[str] = list(code.co_varnames[: code.co_argcount]) if code is not None else []
    if isinstance(function, types.MethodType):
        names = names[1:]
    found = [names[i] if i < len(names) else f"arg{i}" for i in range(count)]
    return found + list(kwargs)


def _variables(tree: Any) -> VarTree:
    """A parameter's tree with None for what is static."""
    if isinstance(tree, RecordValue) and ITEMS in tree.fields:
        return tree.fields[ITEMS]
    if isinstance(tree, RecordValue):
        return Node.of(tree.cls, tuple(tree.fields), map(_variables, tree.fields.values()))
    if isinstance(tree, ListValue):
        return Node.of(list, tuple(range(len(tree.items))), map(_variables, tree.items))
    if isinstance(tree, tuple):
        return like(tree, map(_variables, tree))
    assert not isinstance(tree, Lit)
    return tree if isinstance(tree, Var) else None


def program_of(function: Any, args: Sequence[Any]) -> Program:
    """The λ-program of a function at example arguments."""
    return elaborate(function, args).program
