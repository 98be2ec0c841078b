"""One thread, before numpy starts any."""

import os

for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{name}_NUM_THREADS"] = "1"
