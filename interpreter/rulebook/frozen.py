"""How syntax nodes, terms and blocks are classes: with slots, and two are the same only if they
are one. They never change; that is left to the type checker, which knows them as frozen."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    # There are over a hundred, made at each start: what is not asked for here halves the time.
    return dataclass(slots=True, eq=False)(cls)
