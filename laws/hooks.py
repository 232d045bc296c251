"""What hypothesis loads where the package is installed: it learns to draw arrows, objects and λ-terms.

>>> register()
>>> from hypothesis import find, strategies as st
>>> from ccc.arrows import Arrow
>>> isinstance(find(st.from_type(Arrow), lambda f: True), Arrow)
True
"""

from __future__ import annotations


def register() -> None:
    """Register the strategies; they are made when they are first asked for."""
    from hypothesis import strategies as st

    from ccc.arrows import Arrow
    from ccc.objects import Object

    def drawn(name: str) -> st.SearchStrategy[object]:
        import ccc.laws.strategies

        return getattr(ccc.laws.strategies, name)()

    st.register_type_strategy(Arrow, lambda _: drawn("arrows"))
    st.register_type_strategy(Object, lambda _: drawn("objects"))
