"""Instructions read from lines of LLVM's text, so that tests can say what they are about."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ccc.compile.native.code import (
    Address,
    Begin,
    Call,
    Choice,
    Comparison,
    Fork,
    Instruction,
    Jump,
    Label,
    Lane,
    Load,
    Negation,
    Operation,
    Placed,
    Request,
    Room,
    Store,
    Variable,
)
from ccc.compile.native.functions import Function, Param, Return

TYPE = r"(<\d+ x \w+>|\w+)"
FORMS: tuple[tuple[str, type[Instruction], str], ...] = (
    (rf"(?P<op>f?(?:add|sub|mul)|and) ?(?P<flags>(?:[a-z]+ )*){TYPE} (\S+), (\S+)", Operation, "3 1 4 5 2"),
    (rf"[fi]cmp (\w+) {TYPE} (\S+), (\S+)", Comparison, "1 2 3 4"),
    (rf"select i1 (\S+), {TYPE} (\S+), \S+ (\S+)", Choice, "2 1 3 4"),
    (rf"fneg {TYPE} (\S+)", Negation, "1 2"),
    (rf"load {TYPE}, ptr (\S+)", Load, "1 2"),
    (r"store (<.*?>|\w+) (\S+), ptr (\S+)", Store, "1 2 3"),
    (rf"extractelement {TYPE} (\S+), i64 (\S+)", Lane, "1 2 3"),
    (rf"insertelement {TYPE} (\S+), \w+ (\S+), i64 (\S+)", Placed, "1 2 3 4"),
    (r"call ptr @(ccc_alloc|ccc_own|ccc_next)\(ptr (\S+), i64 (\S+)\)", Request, "3 2 1"),
)


def operand(x: str) -> str:
    return Variable(x) if re.fullmatch(r"%v\d+", x) else x


def label(name: str) -> Label:
    return Label(name, name.rstrip("0123456789"))


def instruction(line: str) -> Instruction:
    """The instruction that a line is."""
    name, equals, rest = line.strip().partition(" = ")
    name, rest = (name, rest) if equals else ("", name)
    if rest.endswith(":"):
        return Begin(label(rest[:-1]))
    if found := re.fullmatch(r"ret (\w+) ?(\S*)", rest):
        return Return(found[1], found[2])
    if found := re.fullmatch(r"alloca (?:\[(\d+) x (\w+)\]|(\w+))", rest):
        return Room(found[2] or found[3], name, int(found[1] or 1), array=bool(found[1]))
    if found := re.fullmatch(r"br label %(\w+)", rest):
        return Jump(label(found[1]))
    if found := re.fullmatch(r"br i1 (\S+), label %(\w+), label %(\w+)(?:, !prof (\S+))?", rest):
        return Fork(found[1], label(found[2]), label(found[3]), found[4] or "")
    if found := re.fullmatch(rf"getelementptr (inbounds )?{TYPE}, {TYPE} (\S+), {TYPE} (\S+)", rest):
        return Address(found[2], found[4], found[6], bool(found[1]), found[5], found[3], name)
    for pattern, form, order in FORMS:
        if found := re.fullmatch(pattern, rest):
            made = form(*[operand((found[int(k)] or "").strip()) for k in order.split()])
            made.name = name
            return made
    found = re.fullmatch(rf"call {TYPE} @([\w.]+)\((.*)\)", rest)
    assert found is not None, line
    given = [part.rsplit(" ", 1) for part in found[3].split(", ")]
    types, operands = tuple([t for t, _ in given]), tuple([operand(x) for _, x in given])
    return Call(found[1], found[2], types, operands, inner=bool(re.fullmatch(r"f\d+", found[2])), name=name)


def function(text: str) -> Function:
    """The function that a text is."""
    head, *lines = text.strip().splitlines()
    found = re.fullmatch(r"define internal (\w+) @(\w+)\((.*)\)(.*) \{", head)
    assert found is not None and lines[0] == "entry:" and lines[-1] == "}", text
    params = [re.fullmatch(r"(\w+) ?(.*) (%\w+)", param) for param in filter(None, found[3].split(", "))]
    given = [Param(param[1], param[3], param[2]) for param in params if param is not None]
    return Function(found[2], given, instructions(lines[1:-1]), found[4], found[1])


def instructions(lines: Iterable[str]) -> list[Instruction]:
    return list(map(instruction, lines))
