"""What users of PyTorch write around a function of tensors, of which some are leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch


def value(f: Callable[..., Any]) -> Callable[..., Any]:
    return torch.no_grad()(f)


def gradient(f: Callable[..., Any], wrt: Sequence[int]) -> Callable[..., Any]:
    """The gradients in some arguments; one is not in a tuple."""

    def call(*arguments: Any) -> Any:
        found = torch.autograd.grad(f(*arguments), [arguments[i] for i in wrt])
        return found if len(wrt) > 1 else found[0]

    return call
