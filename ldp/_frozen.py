"""How frozen values get their checked fields."""

from typing import Any


def freeze(value: object, **fields: Any) -> None:
    """Set the checked fields of a frozen dataclass, once, from its ``__init__``."""
    for name, field in fields.items():
        object.__setattr__(value, name, field)
