"""Functions among those of PyTorch, and its functions in programs: values, derivatives, what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import UnsupportedPython, WrongArguments

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch itself
R = np.random.default_rng(3)
X = R.normal(size=(4, 3))


@dataclass
class Layer:
    w: Any
    b: Any


def layered(layers, x, scale=1.0):
    for layer in layers:
        x = np.tanh(x @ layer.w + layer.b)
    return {"loss": np.sum(x * x) * scale, "out": x, "n": len(layers)}


def reference(layers, x, scale=1.0):
    for layer in layers:
        x = torch.tanh(x @ layer.w + layer.b)
    return {"loss": torch.sum(x * x) * scale, "out": x, "n": len(layers)}


def layers_of(dtype: Any) -> list[Layer]:
    g = torch.Generator().manual_seed(0)

    def parameter(*sizes: int) -> Any:
        return torch.randn(sizes, generator=g, dtype=dtype).requires_grad_()

    return [Layer(parameter(3, 2), parameter(2)), Layer(parameter(2, 2), parameter(2))]


def leaves(layers: list[Layer]) -> list[Any]:
    return [x for layer in layers for x in (layer.w, layer.b)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_function_of_structures_is_one_of_torch(dtype: Any):
    layers, x = layers_of(dtype), torch.from_numpy(X).to(dtype)
    f = ccc.to_torch(layered, backend="numpy")
    found, wanted = f(layers, x, scale=2.0), reference(layers, x, scale=2.0)
    assert found["n"] == 2 and found["out"].dtype == dtype and found["loss"].dtype == dtype
    tolerance = {"rtol": 1e-5, "atol": 1e-6} if dtype == torch.float32 else {"rtol": 1e-12, "atol": 1e-14}
    torch.testing.assert_close(found["out"], wanted["out"], **tolerance)
    both = [torch.autograd.grad(y["loss"] + y["out"].sum(), leaves(layers)) for y in (found, wanted)]
    torch.testing.assert_close(*both, **tolerance)
    assert [g.dtype for g in both[0]] == [dtype] * 4
    with torch.no_grad():
        assert not f(layers, x)["loss"].requires_grad


def test_torch_differentiates_our_derivative():
    f = ccc.to_torch(lambda w, x: np.sum(np.tanh(x @ w) ** 2.0, axis=0), backend="numpy")
    w = torch.from_numpy(X.T @ X)[:, :2].clone().requires_grad_()
    x = torch.from_numpy(X).requires_grad_()
    assert torch.autograd.gradcheck(f, (w, x), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f, (w, x))


def test_what_torch_transforms():
    def theirs(w: Any, x: Any) -> Any:
        return (torch.sin(w * x) * x).sum()

    f = ccc.to_torch(lambda w, x: np.sum(np.sin(w * x) * x), backend="numpy")
    w, xs = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64), torch.from_numpy(X)
    for wanted in (
        lambda g: torch.func.grad(g)(w, xs[0]), lambda g: torch.func.hessian(g)(w, xs[0]),
        lambda g: torch.func.vmap(g, in_dims=(None, 0))(w, xs),
        lambda g: torch.func.vmap(torch.func.grad(g), in_dims=(None, 0))(w, xs),
        lambda g: torch.func.jvp(lambda w: g(w, xs[0]), (w,), (w,))[1],
        lambda g: torch.func.jacrev(lambda w: torch.func.vmap(g, in_dims=(None, 1), out_dims=0)(w[:1], xs))(w),
    ):  # fmt: skip
        torch.testing.assert_close(wanted(f), wanted(theirs), rtol=1e-12, atol=1e-12)


def test_numbers_of_python_are_doubles_and_integers_have_no_derivative():
    import math

    f = ccc.to_torch(lambda x, n: (math.sin(x) * n, np.arange(3) * n, "seen"), backend="numpy")
    x = torch.tensor(0.5, requires_grad=True)
    y, whole, text = f(x, torch.tensor(2))
    assert y.dtype == torch.float64 and whole.dtype == torch.int64 and not whole.requires_grad and text == "seen"
    y.backward()
    assert x.grad.dtype == torch.float32 and x.grad.item() == pytest.approx(2.0 * math.cos(0.5))


def test_tensors_that_numpy_has_not_are_refused():
    f = ccc.to_torch(lambda x: x * 2.0, backend="numpy")
    for x, text in (
        (torch.zeros(2, device="meta"), "a tensor on the device `meta`"), (torch.zeros(2).to_sparse(), "layout"),
        (torch.zeros(2, dtype=torch.bfloat16), "a tensor of torch.bfloat16"),
    ):  # fmt: skip
        with pytest.raises(WrongArguments, match=text):
            f(x)
    with pytest.raises(WrongArguments, match="to_torch takes a function"):
        ccc.to_torch(torch.zeros(2))

    def overwriting(x):
        x[0] = 1.0
        return x

    x = torch.zeros(2)
    with pytest.raises(ValueError, match="read-only"):
        ccc.to_torch(overwriting, backend="numpy")(x)
    assert x.tolist() == [0.0, 0.0]
    assert ccc.to_torch(lambda x: x, backend="numpy")(x).data_ptr() != x.data_ptr()


def test_a_loop_of_torch_optim_trains():
    f, layers = ccc.to_torch(layered, backend="numpy"), layers_of(torch.float64)
    theirs = layers_of(torch.float64)
    for loss, net in ((f, layers), (reference, theirs)):
        optimiser = torch.optim.Adam(leaves(net), lr=0.1)
        for _ in range(3):
            optimiser.zero_grad()
            loss(net, torch.from_numpy(X))["loss"].backward()
            optimiser.step()
    torch.testing.assert_close(leaves(layers), leaves(theirs), rtol=1e-10, atol=1e-12)


# -- torch in ours -----------------------------------------------------------------------------------------------------

torch.manual_seed(1)
NET = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
net = ccc.from_torch(NET)
softplus = ccc.from_torch(torch.nn.functional.softplus)


def loss(x, s):
    return np.sum(net(x) * s) ** 2


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_module_is_called_in_a_program(backend: str):
    if backend == "native":
        pytest.importorskip("llvmlite")
    x, s = torch.from_numpy(X).requires_grad_(), torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    wanted = (NET(x) * s).sum() ** 2
    value, slopes = ccc.value_with_gradient(loss, backend=backend)(X, 2.0)
    assert value == pytest.approx(wanted.item(), rel=1e-13)
    first = torch.autograd.grad(wanted, [x, s], create_graph=True)
    for found, slope in zip(slopes, first, strict=True):
        np.testing.assert_allclose(found, slope.detach().numpy(), rtol=1e-12, atol=1e-14)
    v = np.ones_like(X)
    second = torch.autograd.grad((first[0] * torch.from_numpy(v)).sum(), x)[0].numpy()
    for product in (ccc.hvp, ccc.vhp):
        np.testing.assert_allclose(product(loss, backend=backend)(X, 2.0, v), second, rtol=1e-11, atol=1e-13)


def test_structures_go_in_and_out():
    f = ccc.from_torch(lambda p, x: {"y": torch.relu(x @ p["w"]), "n": torch.argmax(x), "all": (x.sum(), [x.mean(0)])})

    def program(w, x):
        found = f({"w": w}, x)
        (mean,) = found["all"][1]
        return np.sum(found["y"]) * found["all"][0] + np.sum(mean) * found["n"]

    w = R.normal(size=(3, 2))
    value = ccc.compiled(program, backend="numpy")(w, X)
    assert value == program(w, X)
    ccc.check_derivative(program, w, X)


def test_derivatives_of_all_orders_and_in_loops():
    third = ccc.derivative(ccc.derivative(ccc.derivative(lambda x: softplus(x), backend="numpy")))(0.3)
    theirs = torch.nn.functional.softplus
    for _ in range(3):
        theirs = torch.func.grad(theirs)
    assert third == pytest.approx(theirs(torch.tensor(0.3, dtype=torch.float64)).item(), rel=1e-12)

    def repeated(x, n):
        for _ in range(n):
            x = softplus(x) * 0.5  # of sizes that the loop does not know
        return np.sum(x)

    x = torch.from_numpy(X).requires_grad_()
    y = x
    for _ in range(3):
        y = torch.nn.functional.softplus(y) * 0.5
    np.testing.assert_allclose(ccc.gradient(repeated, wrt="x", backend="numpy")(X, 3),
                               torch.autograd.grad(y.sum(), x)[0].numpy(), rtol=1e-12)


class Square(torch.autograd.Function):
    """One that `torch.func` does not take."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, *cts):
        return cts[0] * 2 * ctx.saved_tensors[0]


def test_functions_that_torch_func_does_not_take():
    square = ccc.from_torch(Square.apply)

    def f(x):
        return np.sum(square(x) * x)

    np.testing.assert_allclose(ccc.gradient(f, backend="numpy")(X), 3.0 * X**2, rtol=1e-13)
    np.testing.assert_allclose(ccc.jvp(f, (X,), (X,), backend="numpy")[1], np.sum(3.0 * X**3), rtol=1e-13)
    np.testing.assert_allclose(ccc.hvp(f, backend="numpy")(X, np.ones_like(X)), 6.0 * X, rtol=1e-13)


def test_there_and_back():
    f = ccc.from_torch(ccc.to_torch(lambda x: np.sin(x) * x, backend="numpy"))
    np.testing.assert_allclose(ccc.hvp(lambda x: np.sum(f(x)), backend="numpy")(X, np.ones_like(X)),
                               2.0 * np.cos(X) - X * np.sin(X), rtol=1e-12, atol=1e-14)
    x = torch.from_numpy(X[:1]).requires_grad_()
    assert torch.autograd.gradcheck(ccc.to_torch(lambda x: loss(x, 2.0), backend="numpy"), (x,))


def test_what_draws_or_changes_its_state_is_refused():
    x = np.linspace(0.0, 1.0, 6).reshape(2, 3)
    dropout = ccc.from_torch(torch.nn.Dropout())
    norm = torch.nn.BatchNorm1d(3).double()
    normal, before = ccc.from_torch(norm), norm.running_mean.clone()
    for f in (dropout, normal):
        with pytest.raises(ccc.CCCError, match="draws random numbers or changes its state"):
            ccc.gradient(lambda x: np.sum(f(x)), backend="numpy")(x)  # noqa: B023
    norm.running_mean.copy_(before)
    norm.eval()
    slope = ccc.gradient(lambda x: np.sum(normal(x)), backend="numpy")(x)
    np.testing.assert_allclose(slope, np.full((2, 3), 1.0 / np.sqrt(norm.running_var.numpy() + norm.eps)), rtol=1e-12)


def test_what_is_not_known_is_refused():
    with pytest.raises(UnsupportedPython, match="mat1 and mat2 shapes cannot be multiplied"):
        ccc.gradient(lambda x: np.sum(net(x)))(np.ones((5, 4)))
    with pytest.raises(UnsupportedPython, match="sizes of what it is given are known only when the program runs"):
        ccc.gradient(lambda x: np.sum(net(x[x[:, 0] > 0.0])))(X)
    said = ccc.from_torch(NET, like=np.ones((2, 1)))

    def chosen(x):
        return np.sum(said(x[x[:, 0] > 0.0]))

    wanted = ccc.gradient(lambda x: np.sum(net(x)), backend="numpy")(X) * (X[:, :1] > 0.0)
    np.testing.assert_allclose(ccc.gradient(chosen, backend="numpy")(X), wanted, rtol=1e-13)
    wrong = ccc.from_torch(NET, like=np.ones(2))
    with pytest.raises(ccc.CCCError, match="`Sequential` of torch gives .* here, .* was expected"):
        ccc.gradient(lambda x: np.sum(wrong(x)), backend="numpy")(X)
    with pytest.raises(UnsupportedPython, match="`Sequential` of torch is given a list"):
        ccc.gradient(lambda x, n: net([x * 1.0 for _ in range(n)]))(X, 2)
    with pytest.raises(WrongArguments, match="from_torch takes a function or module"):
        ccc.from_torch(2.0)  # type: ignore[arg-type]
