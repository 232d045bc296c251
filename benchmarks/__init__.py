"""How fast, beside what else: `python3 -m benchmarks` from the checkout prints one table per question.

    calls      a cached gradient, called
    loops      the gradient of a loop, beside the loop
    compile    the first call of a gradient, which compiles it
    start      a first gradient in a fresh process, beside `import numpy`

`python3 -m benchmarks --gradbench DIR` runs evals of a checkout of GradBench instead, in which `make -C cpp` and
`make -C tools/manual` were run; the Python that runs them needs `numpy`, `scipy`, `pydantic` and `dataclasses-json`
(`--evaluator PYTHON` names another).

All columns of a table are timed in one run, in turns, and the fastest turn of each counts: what is compared is ratios,
not times of different days. Peers that are not installed are named and left out.
"""
