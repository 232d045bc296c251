"""A program as a function: arguments in, one call of what XLA compiled, results out as NumPy and Python have them.

XLA compiles a program once for the sizes of its arguments. Integers are arguments like others as long as no size and
no length depends on them; where one does, the program is compiled for each value. A list whose length is known only
when the program runs gets memory for a number of items; where that was too few, the run has counted how many it takes,
and the program is compiled for the next power of two.

Where the run finds that Python would raise, the other function is called, which raises what Python raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from ccc.compile.passes.inlining import copy_of_program
from ccc.compile.program.lam import Apply, Block, Program, Tree, Var, leaves, lets_in, two
from ccc.compile.program.target import NotTaken, Unsaid
from ccc.compile.xla import of_arrays, of_lists, of_numbers, systems
from ccc.compile.xla.evaluator import Evaluator
from ccc.compile.xla.forms import Fails
from ccc.compile.xla.frames import Frame
from ccc.compile.xla.handing import handed, is_unknown, leaf, numbers_in, plain
from ccc.compile.xla.limits import LIMIT
from ccc.compile.xla.meshes import divided, on_one_device
from ccc.compile.xla.saying import Saying
from ccc.compile.xla.tapes import Shared, shared
from ccc.compile.xla.values import Closure, as_object, refused
from ccc.locks import Lock
from ccc.objects import Array, Int
from ccc.records import parts_of

FORMS = of_arrays, of_lists, of_numbers, systems
"""What fills the table of forms."""
CAPACITY = 64
"""So many items there is memory for at first."""
UNSIZED = (jax.errors.ConcretizationTypeError, jax.errors.TracerIntegerConversionError,
           jax.errors.NonConcreteBooleanIndexError)
"""What JAX raises where a size has to be known."""


class Compiled:
    """A program for XLA. Raises `NotTaken` with the reason for one that it does not take."""

    def __init__(self, program: Program, pullback: bool, args: Sequence[Any]) -> None:
        self.program, self.pullback = copy_of_program(program), pullback
        for name, tree in program.params:
            for var in leaves(tree):
                reason = refused(var.object)
                if reason:
                    raise NotTaken(f"{reason}: `{name}`")
        self.lock = Lock()
        self.capacity, self.whole_known = CAPACITY, False
        self.made: dict[Any, Callable[..., Any]] = {}
        self.ready: dict[int | None, Callable[..., Any]] = {}
        self.trees = [(tree, np.dtype(tree.object.dtype) if isinstance(tree, Var) and isinstance(tree.object, Array)
                       else None) for _, tree in self.program.params]
        self.first: Any = None
        ops = [let.op for let in lets_in(self.program.block)]
        self.saying = Saying(any([isinstance(op, Apply) and bool(op.primitive.effect) for op in ops]))
        try:
            with jax.enable_x64(True):
                self.first = self.traced(args)
        except NotTaken:
            if not any([isinstance(x, Unsaid) for arg in args for x in numbers_in(arg)]):
                raise  # else there are numbers for which it may be taken

    def text(self) -> str:
        """The program as JAX has it; nothing where that is only traced when it is called."""
        return "" if self.first is None else f"{self.first.jaxpr}\n"

    # -- tracing ---------------------------------------------------------------------------------------------------

    def traced(self, args: Sequence[Any]) -> Any:
        """What JAX traces for these arguments."""
        return self.sized(args, lambda jitted, numbers: jitted.trace(numbers))

    def sized(self, args: Sequence[Any], use: Callable[[Any, list[Any]], Any]) -> Any:
        """What is made of the program for these arguments; where sizes depend on integers, of the program that is for
        these integers alone. Raises `NotTaken` with the reason."""
        try:
            given = self.given(args)
            try:
                return use(self.jitted(given), given[0])
            except (*UNSIZED, NotTaken):
                if self.whole_known or not given[1] or None in given[1]:
                    raise
                self.whole_known = True
                self.made.clear()
                self.ready.clear()
                given = self.given(args)
                return use(self.jitted(given), given[0])
        except UNSIZED as error:
            raise NotTaken("a size that is known only when it runs") from error
        except Fails as error:
            raise NotTaken("a program that raises") from error
        except TypeError as error:  # of JAX, at what it cannot trace
            raise NotTaken(reason_of(error)) from error

    def given(self, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The arguments as JAX takes them, and its integers; of those that have to be known, None is given, and None
        stands for one that nobody knows yet."""
        numbers: list[Any] = []
        whole: list[Any] = []
        for (tree, dtype), x in zip(self.trees, args, strict=True):
            if dtype is not None and is_as_it_is(x, dtype):
                numbers.append(x)
            else:
                self._leaves(tree, x, numbers, whole)
        if self.whole_known and None in whole:
            raise NotTaken("a size that is known only when it runs")
        return numbers, whole

    def _leaves(self, tree: Tree, x: Any, numbers: list[Any], whole: list[Any]) -> None:
        if isinstance(tree, Var):
            if not isinstance(tree.object, Int):
                numbers.append(leaf(x, tree.object))
            elif is_unknown(x) or isinstance(x, Unsaid):
                whole.append(None)
                numbers.append(as_object(x, tree.object))
            else:
                n = int(x) if not isinstance(x, jax.Array) else np.asarray(x).item()
                if not -(2**62) < n < 2**62:
                    raise Outside
                whole.append(n)
                numbers.append(None if self.whole_known else np.asarray(n, "int64"))
        elif isinstance(tree, tuple):
            for part, value in zip(tree, parts_of(x) or (), strict=True):
                self._leaves(part, value, numbers, whole)

    def jitted(self, given: tuple[list[Any], list[Any]]) -> Any:
        """The program as JAX compiles it."""
        way = self.saying.way
        key = self.capacity, LIMIT.get(), tuple(given[1]) if self.whole_known else None, way.inside, way.ordered
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = jax.jit(self.run(self.capacity, given[1]))
        return found

    def run(self, capacity: int, whole: list[Any]) -> Callable[[list[Any]], Any]:
        """The program as a function that JAX traces."""
        limit, inside = LIMIT.get(), self.saying.way.inside

        def computed(numbers: list[Any]) -> Any:
            e = Evaluator(capacity, divided(numbers), self.saying, limit, inside)
            known = iter(whole)
            params = list(leaves(tuple([tree for _, tree in self.program.params])))
            values = []
            for var, x in zip(params, numbers, strict=True):
                n = next(known) if isinstance(var.object, Int) else None
                values.append(n if x is None else as_object(x, var.object))
            e.values.update(zip(params, values, strict=True))
            e.block(self.program.block, [e.values[p] for p in self.program.block.params])
            return shared(e.tree(self.program.result)), e.frame.handed_out()

        return computed

    def pulling(self, block: Block) -> Any:
        """The pullback as JAX compiles it: a function of a closure and cotangents."""
        capacity, limit, inside = self.capacity, LIMIT.get(), self.saying.way.inside

        def traced(captured: Shared, cotangents: list[Any]) -> Any:
            function = captured.whole()
            e = Evaluator(capacity, divided((function, cotangents)), None, limit, inside)
            given = [as_object(ct, param.object) for ct, param in zip(cotangents, block.params, strict=True)]
            e.call(function, given)
            return e.tree(block.tree), e.frame.handed_out()

        key = "pull", id(block), capacity, limit, inside
        return self.made.get(key) or self.made.setdefault(key, jax.jit(traced))

    def exceeds(self, frame: Frame) -> bool:
        """Whether a list had more items than there is memory for; there is more then for the next call."""
        if frame.needed is None:
            return False
        needed = np.asarray(frame.needed).item()
        if needed <= self.capacity:
            return False
        self.capacity = 1 << (needed - 1).bit_length()
        self.ready.clear()
        return True

    # -- calling ---------------------------------------------------------------------------------------------------

    def function(self, other: Callable[..., Any]) -> Callable[..., Any]:
        """The function; the other one computes where Python raises."""

        def call(*args: Any) -> Any:
            found = self.called(args)
            if found is None:
                return other(*args)
            if not self.pullback:
                return handed(found, self.program.result, plain)
            value, _ = two(self.program.result)
            closure = found[1]

            def pull(*cotangents: Any) -> Any:
                cts = self.pulled(closure, cotangents)
                return other(*args)[1](*cotangents) if cts is None else handed(cts, closure.block.tree, plain)

            return handed(found[0], value, plain), pull

        return call

    def called(self, args: Sequence[Any]) -> Any:
        """The result as JAX has it; None where Python raises. What it says is told once."""
        self.saying.way.inside = False
        if not self.saying.speaks:
            if jax.config.jax_enable_x64:  # type: ignore[attr-defined]
                return self.run_once(args)
            with jax.enable_x64(True):
                return self.run_once(args)
        self.saying.way.ordered = on_one_device(args)
        with self.lock, jax.enable_x64(True):
            found = self.run_once(args)
            self.saying.over(found is not None)
            return found

    def run_once(self, args: Sequence[Any]) -> Any:
        """The same, the program run again where there was too little memory."""
        for _ in range(64):
            try:
                given = self.given(args)
                call = self.ready.get(LIMIT.get()) or self.jitted(given)
                self.saying.kept.clear()
                found, frame = (at_all_times if self.saying.speaks else at_once)(call, given[0])
            except (Outside, Fails, NotTaken, *UNSIZED):
                return None
            if holds(frame.failed):
                return None
            if not self.exceeds(frame):
                if not (self.whole_known or self.saying.speaks):
                    self.ready[LIMIT.get()] = call  # which depends on nothing else
                return found.whole()
            self.saying.over(False)
        return None

    def pulled(self, closure: Closure, cotangents: Sequence[Any]) -> Any:
        """The cotangents of the arguments as JAX has them; None where Python raises."""
        params = closure.block.params
        self.saying.way.inside = False
        try:
            with jax.enable_x64(True):
                found, frame = at_once(self.pulling(closure.block), shared(closure), [
                    leaf(ct, p.object) for ct, p in zip(cotangents, params, strict=True)])
        except (Fails, NotTaken, *UNSIZED):
            return None
        if holds(frame.failed) or self.exceeds(frame):
            return None
        return found


def is_as_it_is(x: Any, dtype: np.dtype[Any]) -> bool:
    """Whether an argument is an array of this dtype as JAX takes it."""
    if type(x) is np.ndarray:
        return x.dtype == dtype and x.dtype.isnative
    return isinstance(x, jax.Array) and x.dtype == dtype


def at_once(call: Callable[..., Any], *args: Any) -> tuple[Any, Frame]:
    """What a function gives at arrays that are there, also where JAX traces what has nothing to do with them: all that
    it gives is traced then. To say so of each call would cost half of a small one."""
    found, frame = call(*args)
    given = (isinstance(found, Shared) and found.arrays) or jax.tree_util.tree_leaves((found, frame))
    return at_all_times(call, *args) if given and is_unknown(given[0]) else (found, frame)


def at_all_times(call: Callable[..., Any], *args: Any) -> tuple[Any, Frame]:
    """The same of a function that leaves nothing in what JAX traces, as what it says would be."""
    with jax.ensure_compile_time_eval():
        return call(*args)


def holds(flag: Any) -> bool:
    """Whether a flag that was handed out is there and true; by way of NumPy, which waits for it the shortest."""
    return flag is not None and bool(np.asarray(flag))


def reason_of(error: TypeError) -> str:
    """What JAX does not take."""
    text = str(error).splitlines()[0]
    given = re.search(r"returned a value of type <class '(?:.*\.)?([^'.]+)'>", text)
    if given is not None:
        return f"values of the class `{given[1]}` of which a branch or a loop gives one or another"
    found = re.search(r"value is of type <class '(?:.*\.)?([^'.]+)'>", text)
    return text if found is None else (
        f"objects of the class `{found[1]}` in a list; it does with `jax.tree_util.register_dataclass({found[1]})`")


class Outside(Exception):
    """An argument that XLA has no number for."""
