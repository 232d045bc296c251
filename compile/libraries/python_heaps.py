"""Heaps and ordered lists, as Python's own library has them in Python.

>>> found = [3.0, 1.0, 2.0]
>>> heapify(found)
>>> heappop(found), heappushpop(found, 0.5), bisect_right([1.0, 2.0], 1.0)
(1.0, 0.5, 1)
"""

from __future__ import annotations

import bisect
import heapq
from typing import Any

from ccc.compile.frontend.numpy_functions.table import definition_of


@definition_of(heapq.heappush)
def heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    sift_down(heap, 0, len(heap) - 1)


@definition_of(heapq.heappop)
def heappop(heap: Any) -> Any:
    last = heap.pop()
    return heapreplace(heap, last) if len(heap) > 0 else last


@definition_of(heapq.heapreplace)
def heapreplace(heap: Any, item: Any) -> Any:
    found = heap[0]
    heap[0] = item
    sift_up(heap, 0)
    return found


@definition_of(heapq.heappushpop)
def heappushpop(heap: Any, item: Any) -> Any:
    return heapreplace(heap, item) if len(heap) > 0 and heap[0] < item else item


@definition_of(heapq.heapify)
def heapify(x: Any) -> None:
    n = len(x)
    for i in range(n // 2):
        sift_up(x, n // 2 - 1 - i)


def sift_down(heap: Any, first: Any, pos: Any) -> None:
    new = heap[pos]
    while pos > first:
        parent = heap[(pos - 1) >> 1]
        if not new < parent:
            break
        heap[pos] = parent
        pos = (pos - 1) >> 1
    heap[pos] = new


def sift_up(heap: Any, pos: Any) -> None:
    end, first, new = len(heap), pos, heap[pos]
    child = 2 * pos + 1
    while child < end:
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child += 1
        heap[pos] = heap[child]
        pos = child
        child = 2 * pos + 1
    heap[pos] = new
    sift_down(heap, first, pos)


@definition_of(heapq.nsmallest)
def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key)[: max(n, 0)]


@definition_of(heapq.nlargest)
def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


@definition_of(bisect.bisect_right)
def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    while lo < hi:
        mid = (lo + hi) // 2
        if x < (a[mid] if key is None else key(a[mid])):
            hi = mid
        else:
            lo = mid + 1
    return lo


@definition_of(bisect.bisect_left)
def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    hi = len(a) if hi is None else hi
    while lo < hi:
        mid = (lo + hi) // 2
        if (a[mid] if key is None else key(a[mid])) < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


@definition_of(bisect.insort_right)
def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


@definition_of(bisect.insort_left)
def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)
