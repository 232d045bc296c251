"""Worked examples of the source documents, compiled, differentiated with both curries and verified.

Run by `python3 -m paper_examples`: a table, one line an example, and as the last line `N passed, M failed`.
"""
