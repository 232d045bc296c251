"""The dtypes of arrays that machine code takes, with the type of an item in memory.

>>> ITEM["bool"]
'i8'
"""

ITEM = {"float64": "double", "int64": "i64", "bool": "i8"}
