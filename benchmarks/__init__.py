"""How fast, beside what else: `python3 -m benchmarks` from the checkout prints one table of all programs.

Each row is a program or a derivative at a size, each column a system, and all are timed in one run, in turns, each in a
process of its own. A cell has the median time of a call, its ratio to the fastest other system, the first call, which
compiles, and how much memory a call took at most. A result that is not that of Python and of difference quotients is
not timed. `programs` has the programs, and `rows` for each of them how the users of each system write it.

    --list                    what there is
    --rows gmm:jacobian lse   some rows, or functions of them
    --columns "ccc native" JAX
    --gradbench DIR           columns for tools in C++ of a checkout of GradBench, in which `make -C cpp` and, for
                              `tools/manual` and `tools/tapenade`, `make bin/NAME` were run; and their geometric mean
    --busy                    for a machine that does other work, too: many short turns, of which the fastest counts
    --json FILE

Other tables are asked for by name:

    scaling    the ratio of gradient to program as n grows a thousandfold (`--plot FILE`)
    compile    the first call of a gradient of a long function
    start      a first gradient in a fresh process, beside `import numpy`
    practice   kernels that nobody tuned for, beside JAX

`python3 -m benchmarks.gradbench DIR` runs the unmodified evals of a checkout of GradBench, which call a tool valid.

`python3 -m benchmarks.polybench CHECKOUT` differentiates the kernels of a checkout of NPBench, which others wrote.

Systems that are not installed are named and left out.
"""
