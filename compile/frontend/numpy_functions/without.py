"""Functions of NumPy's that have no meaning in a differentiated function, by the reason; a call of one is refused.

>>> reason_of("savez"), reason_of("sin")
('files and buffers', None)
"""

from __future__ import annotations

WITHOUT = {
    "files and buffers":
        "datetime_data frombuffer fromfile fromregex from_dlpack genfromtxt load loadtxt save savetxt savez "
        "savez_compressed",
    "texts":
        "array2string array_repr array_str base_repr binary_repr datetime_as_string format_float_positional "
        "format_float_scientific fromstring mintypecode typename",
    "dates": "busday_count busday_offset is_busday isnat",
    "the state of NumPy":
        "get_include get_printoptions getbufsize geterr geterrcall info printoptions set_printoptions setbufsize "
        "seterr seterrcall show_config show_runtime test",
    "memory": "may_share_memory nested_iters shares_memory isfortran",
    "bits of numbers": "bitwise_count packbits unpackbits min_scalar_type",
    "structures with no fixed number of parts": "asmatrix bmat",
    "sets in no order that is said": "unique_all unique_counts unique_inverse unique_values",
    "a deprecated name": "row_stack",
}


def reason_of(name: str) -> str | None:
    """Why a function has no derivative here; None for one that is not listed."""
    return next((reason for reason, names in WITHOUT.items() if name in names.split()), None)
