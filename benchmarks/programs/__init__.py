"""The programs that are measured, as one writes them in Python and NumPy; nothing of ours but where derivatives nest.

Twelve are those of GradBench, by their names there, written from their mathematics: hello, llsq, lstm, gmm, ba, kmeans,
ht, saddle, particle, ode, det and lse.
"""
