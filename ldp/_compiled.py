"""How loops are compiled, and how their machine code is kept."""

import contextlib
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

_SEAL = hashlib.sha256().digest_size
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
    dispatcher: Any = numba.njit(**options)(function)
    # Without a folder to keep machine code in, as in a service without a home, all is compiled.
    with contextlib.suppress(RuntimeError):
        dispatcher._cache = _Cache(function)
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


class _Cache(FunctionCache):  # type: ignore[misc]
    """Machine code on disk, in files that are sealed.

    numba's own reader fails for ever on a damaged file, or runs what it holds.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stem = Path(self.cache_path, self._impl.filename_base)
        origin = (numba.__version__, self._impl.locator.get_source_stamp())
        self._cache_file = _SealedFiles(stem, origin)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code; a full or read-only disk costs time at the next start, no more."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


class _SealedFiles:
    """One file per signature: a hash of where its code is from and of the code, then the code.

    A file whose hash does not fit is of another version, or damaged: it counts as missing, and is
    written over by what is compiled in its place.
    """

    def __init__(self, stem: Path, origin: tuple[Any, ...]) -> None:
        self.stem, self.origin = stem, origin

    def load(self, key: Any) -> Any:
        """Return what was saved under a key; None if it is missing or not as it was written."""
        try:
            contents = self._path(key).read_bytes()
        except OSError:
            return None
        code = contents[_SEAL:]
        return pickle.loads(code) if contents[:_SEAL] == self._seal(key, code) else None

    def save(self, key: Any, data: Any) -> None:
        """Write in one step, so that neither a kill nor another process leaves half of it."""
        code, path = dumps(data), self._path(key)
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            partial.write_bytes(self._seal(key, code) + code)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def _path(self, key: Any) -> Path:
        name = hashlib.sha256(repr(key).encode()).hexdigest()[:8]
        return self.stem.with_name(f"{self.stem.name}.{name}.nbc")

    def _seal(self, key: Any, code: bytes) -> bytes:
        return hashlib.sha256(repr((self.origin, key)).encode() + code).digest()
