"""The dtypes of arrays that machine code takes, with the type of an item in memory.

An item has as many bytes as its type says. In a list or a tuple each number stands in a word of eight bytes: there a
`float` is a `double`, which has the same value.

>>> ITEM["bool"], BYTES[ITEM["float32"]], IN_WORD["float"]
('i8', 4, 'double')
"""

ITEM = {"float64": "double", "float32": "float", "int64": "i64", "bool": "i8"}
SHORT = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
"""The dtypes of integers that have fewer bits in the arrays of callers than here."""
LONG = "uint64"
"""The dtype of integers that are more than those of 64 bits with a sign can say."""
INTEGERS = (*SHORT, "int64", LONG)
"""All dtypes of integers: items of int64, see `integers`."""
BYTES = {"double": 8, "float": 4, "i64": 8, "i8": 1}
"""How long an item is, by its type."""
FLOATING = ("double", "float")
"""The types of reals."""
REALS = tuple([dtype for dtype, type_ in ITEM.items() if type_ in FLOATING])
"""The dtypes of reals."""
IN_WORD = {"float": "double"}
"""The types of what stands as another one in a word of memory."""


def item_dtype(dtype: str) -> str:
    """The dtype as whose items those of a dtype lie in memory.

    >>> item_dtype("uint8"), item_dtype("bool")
    ('int64', 'bool')
    """
    return "int64" if dtype in INTEGERS else dtype


def bytes_of(dtype: str) -> str:
    """How long an item is, as an operand.

    >>> bytes_of("float32"), bytes_of("bool")
    ('4', '1')
    """
    return str(BYTES[ITEM[dtype]])
