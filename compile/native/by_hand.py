"""Text of functions that are written by hand: loops, and items of matrices.

>>> print(loop("i", 0, "%n", 2, "  call void @f(i64 %i)"))
  br label %i.begin
i.begin:
  br label %i.test
i.test:
  %i = phi i64 [ 0, %i.begin ], [ %i.next, %i.over ]
  %i.in = icmp slt i64 %i, %n
  br i1 %i.in, label %i.do, label %i.end
i.do:
  call void @f(i64 %i)
  br label %i.over
i.over:
  %i.next = add i64 %i, 2
  br label %i.test
i.end:
"""

from __future__ import annotations

from collections.abc import Iterable


def joined(lines: Iterable[str]) -> str:
    """Lines as one text."""
    return "\n".join(lines)


def loop(x: str, start: str | int, stop: str | int, step: int, body: str) -> str:
    """`body` for each `%x` from `start`, in steps, while it is less than `stop`."""
    return f"""  br label %{x}.begin
{x}.begin:
  br label %{x}.test
{x}.test:
  %{x} = phi i64 [ {start}, %{x}.begin ], [ %{x}.next, %{x}.over ]
  %{x}.in = icmp slt i64 %{x}, {stop}
  br i1 %{x}.in, label %{x}.do, label %{x}.end
{x}.do:
{body}
  br label %{x}.over
{x}.over:
  %{x}.next = add i64 %{x}, {step}
  br label %{x}.test
{x}.end:"""


def at(x: str, base: str, row: str | int, apart: str | int, column: str | int = 0,
       item: str = "double") -> str:
    """`%x` is where item `column` of row `row` of a matrix is, its rows so far `apart`."""
    return f"""  %{x}.row = mul i64 {row}, {apart}
  %{x}.item = add i64 %{x}.row, {column}
  %{x} = getelementptr {item}, ptr {base}, i64 %{x}.item"""
