"""How fast, beside what else: `python3 -m benchmarks` from the checkout prints one table per question.

    calls      a cached gradient, called
    loops      the gradient of a loop, beside the loop
    compile    the first call of a gradient, which compiles it
    start      a first gradient in a fresh process, beside `import numpy`

All columns of a table are timed in one run, in turns, and the fastest turn of each counts: what is compared is ratios,
not times of different days. Peers that are not installed are named and left out.
"""
