"""What functions of SciPy mean, written in Python with NumPy's and with verbs of ours: a module for each library of
SciPy's, loaded where a program has imported that; and what C has of Python's own library, in `python_...`."""

from ccc.compile.api.hosting import lowered as lowered
