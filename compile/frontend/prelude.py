"""What functions of Python's library mean, written in Python; `ccc.compile.frontend.definitions` reads them where they
are called.

Sequences are tuples or lists here; of ranges and iterators the caller makes lists.

>>> accumulated([1, 2, 3], lambda a, b: a + b), kept(None, [0, 1, 2]), greatest([1, -3, 2], abs)
([1, 3, 6], [1, 2], -3)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.frontend.sameness import identity_counts

Function = Callable[..., Any]


# -- functools and folds ---------------------------------------------------------------------------------------------


def reduced(function: Function, items: Any) -> Any:
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    total = items[0]
    for item in items[1:]:
        total = function(total, item)
    return total


def reduced_from(function: Function, items: Any, total: Any) -> Any:
    for item in items:
        total = function(total, item)
    return total


def product_from(items: Any, total: Any) -> Any:
    for item in items:
        total = total * item
    return total


def accumulated(items: Any, function: Function) -> Any:
    found = items[:1]
    for item in items[1:]:
        found.append(function(found[-1], item))
    return found


def accumulated_from(items: Any, function: Function, total: Any) -> Any:
    found = [total]
    for item in items:
        found.append(function(found[-1], item))
    return found


def member_with(value: Any, members: Any, name: str) -> Any:
    for member in members:
        if member.value == value:
            return member
    raise ValueError(f"{value!r} is not a valid {name}")


def member_named(name: str, members: Any) -> Any:
    for member in members:
        if member.name == name:
            return member
    raise KeyError(name)


def in_one_space(p: Any, q: Any) -> None:
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")


def letter(letters: Any, i: int) -> Any:
    if i < -len(letters) or i >= len(letters):
        raise IndexError("string index out of range")
    return letters[i]


def joined(separator: str, texts: Any) -> Any:
    if len(texts) == 0:
        return ""
    found = texts[0]
    for text in texts[1:]:
        found = f"{found}{separator}{text}"
    return found


def so_many(items: Any, count: int) -> Any:
    if len(items) != count:
        raise TypeError(f"{count} arguments are wanted, and {len(items)} were given")
    return items


def between(items: Any, least: int, most: int) -> Any:
    if len(items) < least or len(items) > most:
        raise TypeError(f"from {least} to {most} arguments are wanted, and {len(items)} were given")
    return items


def in_width(text: Any, width: Any, fill: Any, side: Any, of_number: Any) -> Any:
    if width < 0 and not of_number:
        raise ValueError("Sign not allowed in string format specifier")
    wide = abs(width)  # of a number the sign says which signs are shown
    return text.ljust(wide, fill) if side == "<" else text.rjust(wide, fill)


def item_or(items: Any, i: int, default: Any) -> Any:
    return items[i] if i < len(items) else default


def where_so_many(items: Any, count: int, found: Any, other: Any) -> Any:
    return found if len(items) == count else other


def at_least_two(items: Any) -> Any:
    if len(items) < 2:
        raise TypeError("one argument is no sequence, and at least two are wanted")
    return items


def one_at_least(items: Any) -> Any:
    if len(items) < 1:
        raise TypeError("one argument is no sequence, and at least two are wanted")
    return items


def chosen_before(choose: Function, items: Any, other: Any) -> Any:
    return choose(choose(items), other) if len(items) > 0 else other


def chosen_behind(choose: Function, other: Any, items: Any) -> Any:
    return choose(other, choose(items)) if len(items) > 0 else other


# -- selections ------------------------------------------------------------------------------------------------------


def greatest(items: Any, key: Function) -> Any:
    best = items[0]
    found = key(best)
    for item in items[1:]:
        other = key(item)
        if other > found:
            best, found = item, other
    return best


def least(items: Any, key: Function) -> Any:
    best = items[0]
    found = key(best)
    for item in items[1:]:
        other = key(item)
        if other < found:
            best, found = item, other
    return best


def refuse_empty(items: Any, message: str) -> None:
    if len(items) == 0:
        raise ValueError(message)


def unless_empty(items: Any, chosen: Function, default: Any) -> Any:
    if len(items) == 0:
        return default
    return chosen(items)


def kept(function: Function | None, items: Any) -> Any:
    found = []
    for item in items:
        if item if function is None else function(item):
            found.append(item)
    return found


def dropped(function: Function | None, items: Any) -> Any:
    found = []
    for item in items:
        if not (item if function is None else function(item)):
            found.append(item)
    return found


def compressed(items: Any, selectors: Any) -> Any:
    found = []
    for item, selected in zip(items, selectors, strict=False):
        if selected:
            found.append(item)
    return found


def taken_while(function: Function, items: Any) -> Any:
    found = []
    for item in items:
        if not function(item):
            break
        found.append(item)
    return found


def dropped_while(function: Function, items: Any) -> Any:
    found = []
    dropping = True
    for item in items:
        if dropping and function(item):
            continue
        dropping = False
        found.append(item)
    return found


def ordered(items: Any, order: Any) -> Any:
    return [items[i] for i in order]


def order_by_less(keys: Any, backwards: bool) -> Any:
    """The places of keys in their order, of which `<` alone is asked."""
    order = [i for i in range(0)]
    for i in range(len(keys)):
        j = i
        while j > 0 and (keys[order[j - 1]] < keys[i] if backwards else keys[i] < keys[order[j - 1]]):
            j -= 1
        order = [*order[:j], i, *order[j:]]
    return order


def contained(value: Any, items: Any) -> bool:
    return any((identity_counts(item, value) and item is value) or item == value for item in items)


# -- maps ------------------------------------------------------------------------------------------------------------


def mapped(function: Function, items: Any) -> Any:
    return [function(item) for item in items]


def mapped_with(function: Function, *columns: Any) -> Any:
    return [function(*row) for row in zip(*columns, strict=False)]


def mapped_rows(function: Function, rows: Any) -> Any:
    return [function(*row) for row in rows]


def repeated(value: Any, times: int) -> Any:
    return [value for _ in range(times)]


def counted(start: Any, step: Any, times: int) -> Any:
    return [start + i * step for i in range(times)]


# -- lengths and orders ----------------------------------------------------------------------------------------------


def equal_lengths(*columns: Any) -> None:
    shortest = min([len(column) for column in columns])
    i = 1
    for column in columns[1:]:
        i = i + 1
        others = "argument 1" if i == 2 else f"arguments 1-{i - 1}"
        if len(columns[0]) > shortest and len(column) == shortest:
            raise ValueError(f"zip() argument {i} is shorter than {others}")
        if len(columns[0]) == shortest and len(column) > shortest:
            raise ValueError(f"zip() argument {i} is longer than {others}")


def equal_items(a: Any, b: Any) -> bool:
    if len(a) != len(b):
        return False
    return all((identity_counts(x, y) and x is y) or x == y for x, y in zip(a, b, strict=False))


def unequal_items(a: Any, b: Any) -> bool:
    return not equal_items(a, b)


def lexically(a: Any, b: Any, compare: Function) -> bool:
    for x, y in zip(a, b, strict=False):
        if not ((identity_counts(x, y) and x is y) or x == y):  # what Python asks of items
            return compare(x, y)
    return compare(len(a), len(b))


def identity(value: Any) -> Any:
    return value


def expanded(function: Function) -> Function:
    return lambda *args: function(*args)


# -- operators as functions ------------------------------------------------------------------------------------------


def add(a: Any, b: Any) -> Any:
    return a + b


def sub(a: Any, b: Any) -> Any:
    return a - b


def mul(a: Any, b: Any) -> Any:
    return a * b


def truediv(a: Any, b: Any) -> Any:
    return a / b


def floordiv(a: Any, b: Any) -> Any:
    return a // b


def mod(a: Any, b: Any) -> Any:
    return a % b


def pow_(a: Any, b: Any) -> Any:
    return a**b


def matmul(a: Any, b: Any) -> Any:
    return a @ b


def and_(a: Any, b: Any) -> Any:
    return a & b


def or_(a: Any, b: Any) -> Any:
    return a | b


def xor(a: Any, b: Any) -> Any:
    return a ^ b


def lshift(a: Any, b: Any) -> Any:
    return a << b


def rshift(a: Any, b: Any) -> Any:
    return a >> b


def neg(a: Any) -> Any:
    return -a


def pos(a: Any) -> Any:
    return +a


def invert(a: Any) -> Any:
    return ~a


def lt(a: Any, b: Any) -> Any:
    return a < b


def le(a: Any, b: Any) -> Any:
    return a <= b


def gt(a: Any, b: Any) -> Any:
    return a > b


def ge(a: Any, b: Any) -> Any:
    return a >= b


def eq(a: Any, b: Any) -> Any:
    return a == b


def ne(a: Any, b: Any) -> Any:
    return a != b


def not_(a: Any) -> bool:
    return not a


def is_(a: Any, b: Any) -> bool:
    return a is b


def is_not(a: Any, b: Any) -> bool:
    return a is not b


def contains(a: Any, b: Any) -> bool:
    return b in a


def getitem(a: Any, b: Any) -> Any:
    return a[b]


def getitems(a: Any, *keys: Any) -> Any:
    return tuple([a[key] for key in keys])


def divided(a: Any, b: Any) -> Any:
    return a // b, a % b


# -- rows and first items --------------------------------------------------------------------------------------------


def chained_rows(rows: Any) -> Any:
    return [item for row in rows for item in row]


def singles(xs: Any) -> Any:
    return [(x,) for x in xs]


def further(rows: Any, ys: Any) -> Any:
    return [(*row, y) for row in rows for y in ys]


def first_places(n: int) -> Any:
    return [(i,) for i in range(n)]


def places_behind(found: Any, n: int) -> Any:
    return [(*places, j) for places in found for j in range(places[-1] + 1, n)]


def places_from(found: Any, n: int) -> Any:
    return [(*places, j) for places in found for j in range(places[-1], n)]


def other_places(found: Any, n: int) -> Any:
    return [(*places, j) for places in found for j in range(n) if not any(i == j for i in places)]


def at_places(items: Any, found: Any) -> Any:
    return [tuple([items[i] for i in places]) for places in found]


def transposed(rows: Any) -> Any:
    shortest = min([len(row) for row in rows]) if len(rows) > 0 else 0
    return [[row[i] for row in rows] for i in range(shortest)]


def column(rows: Any, i: int) -> Any:
    return [row[i] for row in rows]


def refuse_no_rows(rows: Any, count: int) -> None:
    if len(rows) == 0:
        raise ValueError(f"not enough values to unpack (expected {count}, got 0)")


def in_batches(items: Any, n: int) -> Any:
    if n < 1:
        raise ValueError("n must be at least one")
    return [items[i:i + n] for i in range(0, len(items), n)]


def cycled(items: Any, times: int) -> Any:
    return [items[i % len(items)] for i in range(times)] if len(items) > 0 else items


def padded(items: Any, times: int, fill: Any) -> Any:
    return [items[i] if i < len(items) else fill for i in range(times)]


def have_same_items(a: Any, b: Any) -> bool:
    if len(a) != len(b):
        return False
    return all([key in b and b[key] == a[key] for key in a])


def longest(*columns: Any) -> int:
    return max([len(column) for column in columns])


def first_of(items: Any) -> Any:
    if len(items) == 0:
        raise StopIteration
    return items[0]


def first_or(items: Any, default: Any) -> Any:
    return items[0] if len(items) > 0 else default
