"""Machine code on disk, in files that are sealed."""

import contextlib
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

_SEAL = hashlib.sha256().digest_size


def kept_on_disk(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Let numba compile a function at its first call, or find its machine code on disk."""
    dispatcher: Any = numba.njit(**options)(function)
    # Without a folder to keep machine code in, as in a service without a home, all is compiled.
    with contextlib.suppress(RuntimeError, OSError):
        dispatcher._cache = _Cache(function)
    return dispatcher


class _Cache(FunctionCache):  # type: ignore[misc]
    """A function's machine code on disk.

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
