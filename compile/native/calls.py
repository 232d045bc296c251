"""Functions of their own: closures, which take what they capture as further arguments, and calls of them."""

from __future__ import annotations

from ccc.compile.native.closures import Function
from ccc.compile.native.layout import NotNative, known_axes, layout_of, operands, rebuilt, words
from ccc.compile.native.loops import scalar, take_back
from ccc.compile.native.lowering import ProgramLowering, lowers
from ccc.compile.native.ranks import of_any_rank
from ccc.compile.native.trees import check_depth
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, Writer
from ccc.compile.program.lam import Call, Lambda, Let, Var, free_variables


@lowers(Lambda)
def function(m: Lowering, op: Lambda, let: Let) -> None:
    """A closure: code that takes what it captures as further arguments."""
    (target,) = let.targets
    module = m.module
    captured = [v for v in free_variables(op.body, module.memo) if v is not target]
    behind = [x for v in captured if v in m.functions for x in m.functions[v].captured]
    captured = list(dict.fromkeys([*captured, *behind]))
    module.count += 1
    ranks = module.ranks
    f = Function(f"f{module.count}", let, captured, [
        ranks.before((let, i), atom.object) for i, atom in enumerate(op.body.results)])
    m.settle()
    for v in captured:
        if v in m.values:
            m.values[v] = m.there(m.values[v])
    layouts = {v: layout_of(m.values[v]) for v in captured if v in m.values}
    params = [("ptr", "%arena"), ("ptr", "%results")]
    inner = ProgramLowering(module, Writer(f.name, params, module.lanes))
    inner.functions = {**m.functions, target: f}
    inner.inner = target is not m.handed_out
    for v in [*layouts, *op.body.params]:
        layout = layouts[v] if v in layouts else ranks.before(v, v.object)
        texts: list[str] = []
        for type_ in words(layout):
            texts.append(f"%{inner.w.fresh('a')}")
            params.append((type_, texts[-1]))
        inner.values[v] = known_axes(rebuilt(layout, iter(texts)), v.object)
    f.captured = list(layouts)
    for v in captured:
        if v not in layouts and v not in inner.functions:
            raise NotNative(f"the function value `{v.name}`")
    if target in free_variables(op.body, module.memo):
        check_depth(inner)
    with inner.scope():
        inner.block(op.body)
        found = [inner.there(inner.value(atom)) for atom in op.body.results]
        for i, (atom, v) in enumerate(zip(op.body.results, found, strict=True)):
            if of_any_rank(atom.object):
                ranks.layout((let, i), atom.object, v)
        if target is m.handed_out:
            f.results = [a if isinstance(v, Num) else layout_of(v) for a, v in zip(f.results, found, strict=True)]
        place = 0
        for v, layout in zip(found, f.results, strict=True):
            inner.write(v, layout, inner.w.at_index("i64", "%results", str(place)))
            place += len(words(layout))
    module.finish(inner.w, inner.inner)
    m.functions[target] = f


@lowers(Call)
def call(m: Lowering, op: Call, let: Let) -> None:
    w = m.w
    function = let.args[0]
    f = m.functions.get(function) if isinstance(function, Var) else None
    if f is None:
        raise NotNative(f"a call of a function value, `{function}`")
    m.settle()
    texts = [("ptr", "%arena")]
    results = w.local("i64", max(2, sum(len(words(layout)) for layout in f.results)))
    texts.append(("ptr", results))
    for v in f.captured:
        x = m.there(m.value(v))
        texts += zip(words(layout_of(x)), operands(x), strict=True)
    for param, atom in zip(f.let.op.body.params, let.args[1:], strict=True):  # type: ignore[attr-defined]
        x = m.there(m.fitted(atom, param))
        layout = m.module.ranks.layout(param, param.object, x)
        x = m.brought(x, layout)
        texts += zip(words(layout), operands(x), strict=True)
    if m.module.out.reasons:
        m.unspoiled()
    begins = w.gap()
    status = w.call("i32", f.name, *texts, inner=True)
    w.leave(w.compared("ne", "i32", status, "0"))
    place = 0
    for target, layout in zip(let.targets, f.results, strict=True):
        m.values[target] = m.read(layout, w.at_index("i64", results, str(place)) if place else results)
        place += len(words(layout))
    if all(map(scalar, f.results)):
        take_back(m, begins, w.gap())
