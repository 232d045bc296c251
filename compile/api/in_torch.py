"""Functions among those of PyTorch: `to_torch` makes one of a function, `from_torch` takes one into programs.

>>> import torch
>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> to_torch(lambda x: np.sum(x ** 3))(x).backward()
>>> x.grad
tensor([ 3., 12.])

What torch differentiates of our derivative is a program too: the backward of a `torch.autograd.Function` is that of
another function of ours, of which the same holds.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch  # pyright: ignore[reportMissingImports] - this module is loaded where PyTorch is installed

from ccc.compile.api.derivatives_at import by_place, differential_at, pullback_at
from ccc.compile.api.mapping import vmap
from ccc.compile.api.transforms import compiled, value_with_pullback
from ccc.compile.diagnostics import WrongArguments, telling
from ccc.compile.frontend import known_functions
from ccc.compile.frontend.foreign import Foreign, Run, known_outside
from ccc.errors import CCCError
from ccc.records import mapped
from ccc.slots import Slot, along, apart, beside, filled, places_with, slots

th: Any = torch
"""Its stubs say of few functions what they give."""


def is_real(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.is_floating_point()


def array(x: Any) -> Any:
    """A tensor as an array that cannot be written to, or as a number of NumPy. Raises `WrongArguments` for what NumPy
    has not."""
    if x.device.type != "cpu":
        raise WrongArguments(f"a tensor on the device `{x.device}`: programs compute on the processor", "CC025",
                             "give `x.cpu()`")
    if x.layout is not torch.strided:
        raise WrongArguments(f"a tensor of the layout {x.layout}", "CC025", "give `x.to_dense()`")
    if x.dtype not in DTYPES:
        raise WrongArguments(f"a tensor of {x.dtype}: programs compute in float32, float64, integers and bools",
                             "CC025", "convert it: x.to(torch.float32)")
    found = x.detach().numpy()
    if not found.ndim:
        return found[()]
    found.flags.writeable = False
    return found


DTYPES = {torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool}


def tensor(x: Any) -> Any:
    """A new tensor with the entries of an array or a number."""
    return th.from_numpy(np.array(x))


# -- ours in torch -----------------------------------------------------------------------------------------------------


class Called:
    """A call of a function of ours: `args` has slots in the places of tensors; the pullback to the arguments at the
    places `wanted` is kept. `form` is the value with slots."""

    def __init__(self, function: Callable[..., Any], args: Any, wanted: Sequence[int], backend: str | None) -> None:
        self.function, self.args, self.wanted, self.backend = function, args, tuple(wanted), backend
        self.kept: Callable[[Any], Any] | None = None
        self.form: Any = None

    def value(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        """The tensors in the value."""
        args = filled(self.args, list(map(array, tensors)))
        if self.wanted:
            value, self.kept = value_with_pullback(self.function, wrt=self.wanted, backend=self.backend)(*args)
        else:
            value = compiled(self.function, backend=self.backend)(*args)
        self.form, found = apart(value, lambda y: isinstance(y, (np.ndarray, np.number, float)))
        return tuple(map(tensor, found))

    def pulled(self, tensors: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
        """The cotangents of the tensors, by the pullback that is kept."""
        assert self.kept is not None
        ct = filled(along(self.form, lambda i: is_real(cts[i]), 0), list(map(array, cts)))
        found = beside(self.chosen(self.wanted), self.kept(ct), len(tensors))
        return [None if ct is None else tensor(ct) for ct in found]

    def pulled_anew(self, tensors: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
        """The same as a function of the tensors and the cotangents, which torch differentiates."""
        places = self.wanted or places_with(self.args, lambda i: is_real(tensors[i]))
        given = self.args, along(self.form, lambda i: is_real(cts[i]), len(tensors))
        found = applied(pullback_at(self.function, places), given, [*tensors, *cts], self.backend)
        return beside(self.chosen(places), found, len(tensors))

    def pushed(self, tensors: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        """The tangents of the tensors in the value, of those of the arguments, None for what does not move."""
        places = places_with(self.args, lambda i: is_real(tensors[i]))
        moves = [th.zeros_like(x) if d is None else d for x, d in zip(tensors, tangents, strict=True)]
        ds = along(self.chosen(places), lambda i: is_real(tensors[i]), len(tensors))
        found = applied(differential_at(self.function, places), (self.args, ds), [*tensors, *moves], self.backend)
        each = beside(self.form, found, len([*slots(self.form)]))
        return tuple([y if isinstance(y, torch.Tensor) else None for y in each])

    def chosen(self, places: Sequence[int]) -> tuple[Any, ...]:
        """Some of the arguments."""
        return tuple([self.args[i] for i in places])


class Applied(torch.autograd.Function):
    """A call of a function of ours, as torch has it."""

    @staticmethod
    def forward(call: Called, *tensors: Any) -> Any:
        return call.value(tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.call = inputs[0]
        ctx.save_for_backward(*inputs[1:])
        ctx.save_for_forward(*inputs[1:])
        ctx.mark_non_differentiable(*[y for y in output if not is_real(y)])

    @staticmethod
    def backward(ctx: Any, *cts: Any) -> Any:
        call = ctx.call
        if call.kept is not None and not torch.is_grad_enabled():
            return None, *call.pulled(ctx.saved_tensors, cts)
        return None, *call.pulled_anew(ctx.saved_tensors, cts)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return ctx.call.pushed(ctx.saved_tensors, tangents[1:])

    @staticmethod
    def vmap(info: Any, in_dims: Any, call: Called, *tensors: Any) -> Any:
        def axis(x: Any) -> Any:
            return in_dims[1 + x.place] if isinstance(x, Slot) else None

        mapped_function = vmap(call.function, in_axes=tuple([mapped(axis, x) for x in call.args]))
        inner = Called(mapped_function, call.args, call.wanted, call.backend)
        found = Applied.apply(inner, *tensors)
        call.form = inner.form
        return found, (0,) * len(found)


def applied(f: Callable[..., Any], args: Any, tensors: Sequence[Any], backend: str | None) -> Any:
    """The value of a function of ours at arguments with slots for tensors, with tensors."""
    wanted = places_with(args, lambda i: is_real(tensors[i]) and tensors[i].requires_grad)
    call = Called(f, args, wanted if torch.is_grad_enabled() else (), backend)
    found = Applied.apply(call, *tensors)
    return filled(call.form, found)


@telling
def to_torch(f: Callable[..., Any], *, backend: str | None = None) -> Callable[..., Any]:
    """A function as one of torch: tensors in, tensors out, differentiated by torch.

    >>> import torch
    >>> f = to_torch(lambda p, x: np.tanh(x @ p["w"]) + p["b"])
    >>> p = {"w": torch.ones(2, requires_grad=True), "b": torch.tensor(0.5, requires_grad=True)}
    >>> loss = f(p, torch.tensor([[0.0, 0.0], [1.0, -1.0]])).sum()
    >>> loss, [x.tolist() for x in torch.autograd.grad(loss, [p["w"], p["b"]])]
    (tensor(1., grad_fn=<SumBackward0>), [[1.0, -1.0], 2.0])

    Arguments and value are tensors in tuples, lists, dicts and objects, of float32, float64, integers and bools, on the
    processor; a tensor without axes is a number of NumPy for `f`, and a number of Python in the value becomes a tensor
    of float64. Dtypes are those that NumPy gives. What is no tensor is handed on as it is. `torch.autograd.grad` with
    `create_graph=True`, `torch.func.grad`, `jvp` and `vmap` go through it, to all orders. Raises `WrongArguments` for
    tensors on other devices and of other dtypes, `ValueError` where `f` changes one, and what `gradient` raises.

    Source: PyTorch, `torch.autograd.Function`.
    """
    if not callable(f):
        raise WrongArguments(f"to_torch takes a function, found {type(f).__name__}", help="write to_torch(f)(x)")

    @functools.wraps(f)
    def of_tensors(*args: Any, **kwargs: Any) -> Any:
        form, tensors = apart((*args, *kwargs.values()), lambda x: isinstance(x, torch.Tensor))
        return applied(by_place(f, tuple(kwargs)), form, tensors, backend)

    return of_tensors


# -- torch in ours -----------------------------------------------------------------------------------------------------


class Torch:
    """PyTorch, for programs that call a function of its."""

    name = "torch"
    traced = False

    def __init__(self, function: Any) -> None:
        self.state: Any = [*function.buffers()] if isinstance(function, torch.nn.Module) else []

    def tensors(self, xs: Sequence[Any]) -> list[Any]:
        """New tensors for what may be differentiated and for arrays; whole numbers and bools stay what they are."""
        return [tensor(x) if isinstance(x, (np.ndarray, np.floating, float)) else x for x in xs]

    def probed(self, function: Run, xs: Sequence[Any]) -> Any:
        kept = [b.detach().clone() for b in self.state]
        try:
            with th.random.fork_rng(devices=[]):
                return mapped(lambda y: like(y) if isinstance(y, torch.Tensor) else y, self.tried(function, xs))
        finally:
            with th.no_grad():
                for b, before in zip(self.state, kept, strict=True):
                    b.copy_(before)

    def tried(self, function: Run, xs: Sequence[Any]) -> Any:
        """What a function gives at numbers between 0 and 1, or at matrices that are regular."""
        try:
            return function(*self.tensors([entries(x) for x in xs]))
        except (RuntimeError, ValueError):
            return function(*self.tensors([regular(x) for x in xs]))

    def computed(self, run: Run, xs: Sequence[Any]) -> tuple[Any, ...]:
        before = th.get_rng_state(), [b._version for b in self.state]
        found = run(*self.tensors(xs))
        if not th.equal(before[0], th.get_rng_state()) or before[1] != [b._version for b in self.state]:
            raise CCCError("a function of torch draws random numbers or changes its state, so its derivative would be "
                           "that of another call", "call `module.eval()` before, or hand in what is drawn")
        return tuple([y if not isinstance(y, torch.Tensor) else np.array(array(y))[()] for y in found])

    def vjp(self, run: Run, primals: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        try:
            return tuple(th.func.vjp(run, *primals)[1](tuple(cotangents)))
        except RuntimeError:  # not all that `torch.autograd` takes is taken by `torch.func`
            given = [x.view_as(x) if x.requires_grad else x.detach().requires_grad_() for x in primals]
            return tuple(th.autograd.grad(run(*given), given, cotangents, create_graph=True, materialize_grads=True))

    def jvp(self, run: Run, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of what torch itself loads for it
                return tuple(th.func.jvp(run, tuple(primals), tuple(tangents))[1])
        except (RuntimeError, NotImplementedError):  # the pullback is linear, so its own pullback is its transpose
            seeds = [th.zeros_like(y) for y in run(*primals)]
            return self.vjp(lambda *cts: self.vjp(run, primals, cts), seeds, tangents)


def entries(x: Any) -> Any:
    """An array of as many numbers between 0 and 1, or of ones."""
    return np.linspace(0.1, 0.9, x.size, dtype=x.dtype).reshape(x.shape) if is_floats(x) else x


def regular(x: Any) -> Any:
    """An array of unit matrices of its sizes."""
    return np.broadcast_to(np.eye(*x.shape[-2:], dtype=x.dtype), x.shape) if is_floats(x) and x.ndim > 1 else x


def is_floats(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def like(x: Any) -> Any:
    """An array of the dtype and the sizes of a tensor."""
    if x.dtype not in DTYPES:
        raise WrongArguments(f"a tensor of {x.dtype} from torch", "CC025", "convert it: y.to(torch.float32)")
    return np.ones(tuple(x.shape), str(x.dtype).partition(".")[2])[()]


class OfTorch(Foreign):
    """A function of torch's, of arrays."""

    def called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        found = self.function(*[mapped(given, x) for x in args], **{k: mapped(given, x) for k, x in kwargs.items()})
        return mapped(lambda y: np.array(array(y))[()] if isinstance(y, torch.Tensor) else y, found)


def given(x: Any) -> Any:
    """A number or array as torch takes it."""
    return tensor(x) if isinstance(x, (np.ndarray, np.floating, float)) else x


@telling
def from_torch(f: Callable[..., Any], *, like: Any = None) -> Callable[..., Any]:
    """A function or module of torch as one of numbers and arrays, which programs call: torch computes its value and its
    derivatives.

    >>> import torch
    >>> from ccc.compile.api.transforms import gradient
    >>> softplus = from_torch(torch.nn.functional.softplus)
    >>> gradient(lambda x: np.sum(softplus(x) * x))(np.array([0.0, 1.0]))
    array([0.69314718, 2.04432027])

    Arguments are numbers and arrays, in tuples, dicts and objects; each is a new tensor of its dtype, a float one of
    float64. Results are tensors in such structures: of which dtypes and with how many axes is found by a call at
    numbers of the same sizes, or said by an example, `like`. Derivatives are of every order in both modes, by
    `torch.func`, in the arguments; parameters of a module are constants, and what they are when it is called. Raises
    `CompileError` where `f` refuses what it is given or its results are not known, and `CCCError` where it draws random
    numbers or changes its buffers.

    Source: PyTorch, `torch.func.vjp` and `torch.func.jvp`.
    """
    if not callable(f):
        raise WrongArguments(f"from_torch takes a function or module of torch, found {type(f).__name__}",
                             help="write from_torch(f)(x)")
    return OfTorch(f, Torch(f), like)


known_functions.OPERATORS[from_torch] = known_outside(from_torch)
__all__ = ["from_torch", "to_torch"]
