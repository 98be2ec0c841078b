"""How loops are compiled, and under which name their machine code is kept."""

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function, **options: Any) -> _Function:
    """Compile on first call, keep the machine code on disk, release the GIL.

    Machine code holds that of the compiled functions it calls, but numba knows old code on disk by
    its own file alone. The name that it is kept under therefore tells which functions it holds.
    """
    function.__qualname__ += f"_{_digest(function, options)}"
    try:
        dispatcher: Any = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no folder to keep machine code in, as in a service without a home
        dispatcher = numba.njit(nogil=True, **options)(function)
    return cast(_Function, dispatcher)


def compiled_sums(function: _Function) -> _Function:
    """Compile with sums in any order, so that their terms are added several at a time.

    A division by zero gives an infinity, for the caller to find.
    """
    flags = {"reassoc", "contract", "nsz", "arcp"}
    return compiled(function, fastmath=flags, error_model="numpy")


def _digest(function: Callable[..., Any], options: dict[str, Any]) -> str:
    """Tell a function from others by its code, its options and what it uses of its module."""
    code, scope = function.__code__, function.__globals__
    used = [_name(scope[name]) for name in code.co_names if name in scope]
    chosen = [(key, sorted(v) if isinstance(v, set) else v) for key, v in options.items()]
    text = repr((code.co_code, code.co_consts, code.co_names, used, chosen))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _name(value: Any) -> str:
    """Name of a function, with its digest if it is compiled, or of a module; a constant itself."""
    return str(getattr(value, "__qualname__", getattr(value, "__name__", repr(value))))
