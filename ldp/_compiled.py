"""How loops are compiled: when they are first called, and not before."""

import hashlib
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function, **options: Any) -> _Function:
    """Compile on first call, keep the machine code on disk, release the GIL.

    Machine code holds that of the compiled functions it calls, but numba knows old code on disk by
    its own file alone. The name that it is kept under therefore tells which functions it holds.

    Compiled functions that it calls become part of it. Else the machine code of such a function on
    its own, which only the process that compiles it has, could be called instead of the copy that
    is kept on disk: sums of two orders, and other last digits in the first run than in all others.
    """
    options = {"nogil": True, "forceinline": True} | options
    function.__qualname__ += f"_{_digest(function, options)}"
    return cast(_Function, _Loop(function, options))


def compiled_sums(function: _Function) -> _Function:
    """Compile with sums in any order, so that their terms are added several at a time.

    A division by zero gives an infinity, for the caller to find.
    """
    flags = {"reassoc", "contract", "nsz", "arcp"}
    return compiled(function, fastmath=flags, error_model="numpy")


class _Loop:
    """A function that numba compiles; numba itself, half a second, is loaded by the first call."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self._options, self._made = function, options, None

    @property
    def dispatcher(self) -> Any:
        """What numba made of the function; made without a lock, which a fork would leave locked."""
        if self._made is None:
            from ldp._machine_code import kept_on_disk

            self._made = kept_on_disk(self.py_func, self._options)
        return self._made

    def __reduce__(self) -> str:
        """Let it be pickled as any function is, by its name in its module."""
        return self.py_func.__name__

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code."""
        return self.dispatcher(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """What numba asks for where another compiled function calls this one."""
        return self.dispatcher._numba_type_


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
