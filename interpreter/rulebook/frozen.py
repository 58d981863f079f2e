"""How syntax nodes, terms and blocks are classes: with slots, and two are the same only if they
are one. They never change; that is left to the type checker, which knows them as frozen."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


def show(node: object) -> str:
    fields = (f"{name}={getattr(node, name)!r}" for name in node.__dataclass_fields__)  # type: ignore[attr-defined]  # only frozen classes have this as their repr
    return f"{type(node).__name__}({', '.join(fields)})"


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    # There are over a hundred, made at each start. What is not asked for here, and a text where
    # the library would else work out one from the signature, saves more than half of their time.
    cls.__doc__ = cls.__doc__ or cls.__name__
    made = dataclass(slots=True, eq=False, repr=False, match_args=False)(cls)
    made.__repr__ = show  # type: ignore[method-assign]  # one for all, where each would be compiled
    return made
