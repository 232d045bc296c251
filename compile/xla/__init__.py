"""λ-programs to XLA: JAX traces each once for the sizes of its arguments, its loops as loops, and XLA compiles it.

In comes a program as the shared passes leave it, before anything is done in place; out goes a Python function.

    xla_target        the target, loaded with every other one; it loads nothing of JAX
    calling           a program as a function: arguments in, one call of what XLA compiled, results out
    citizens          the same on arrays of JAX, and inside of what JAX traces and differentiates
    handing           what is handed in and out
    meshes            arrays divided among devices
    saying            what is printed
    evaluator         the meaning of blocks, branches, loops and closures while JAX traces
    tapes             what loops keep for their derivatives, or compute again; `limits`: in how much memory
    stores            what turns of a loop write and no later one looks at
    selections        what masks select, whose size is known only when the program runs
    blocks, places    parts of arrays; what is known of integers
    values            lists, ranges and closures among the values that JAX traces
    frames            what is found out during a run: that Python would raise, and how long tapes have to be
    facade            NumPy as JAX has it
    forms             what primitives are in JAX, from what they are in NumPy
    systems           factors of matrices, of which each is computed once
    of_arrays, of_lists, of_numbers    those that say it themselves
"""
