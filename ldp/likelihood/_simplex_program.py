"""Second-order steps of maximum likelihood: a quadratic form over the simplex."""

import numpy as np
import scipy

from ldp.postprocess.simplex import norm_sub
from ldp.types import Floats, Integers

_MOST_GRADIENT_STEPS = 200
_MOST_FACES = 200


def second_order_target(theta: Floats, slope: Floats, hessian: Floats, precision: float) -> Floats:
    """Maximise slope.x - (x - theta)' hessian (x - theta) / 2 over the simplex.

    Accelerated projected gradient with restarts finds most of the support, exact steps on faces
    the rest. Both stop on the certificate of maximum likelihood: at x no point of the simplex is
    better by more than max(gradient) - gradient.x.
    """
    # Vectors that sum to zero see the same form without its part along (1, ..., 1).
    centred = hessian - hessian.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    steepness = np.trace(centred) / theta.size  # the mean curvature, raised where more is met
    x = ahead = theta
    curved = curved_ahead = np.zeros(theta.size)
    momentum = 1.0
    for _ in range(_MOST_GRADIENT_STEPS):
        gradient = slope - curved_ahead
        new = norm_sub(ahead + gradient / steepness)
        new_curved = centred @ (new - theta)
        step = new - ahead
        if step @ (new_curved - curved_ahead) > (1 + 1e-9) * steepness * (step @ step):
            steepness *= 2
            continue
        at_new = slope - new_curved
        if at_new.max() - at_new @ new <= precision / 10:
            return new
        if gradient @ (new - x) < 0:  # the momentum leads downhill
            momentum = 1.0
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        push = (momentum - 1) / faster
        ahead, curved_ahead = new + push * (new - x), new_curved + push * (new_curved - curved)
        x, curved, momentum = new, new_curved, faster
    return _on_faces(theta, slope, centred, x, precision / 10)


def _on_faces(
    theta: Floats, slope: Floats, centred: Floats, start: Floats, precision: float
) -> Floats:
    """Finish by exact steps on faces of the simplex, where gradients cross long valleys slowly."""
    x, free = start.copy(), start > 0
    for _ in range(_MOST_FACES):
        gradient = slope - centred @ (x - theta)
        if gradient.max() - gradient @ x <= precision:
            break
        face = np.flatnonzero(free)
        length = _step_on_face(x, face, gradient, centred)
        if length < 1:
            free &= x > 0
        elif free.all():
            break
        else:
            gradient = slope - centred @ (x - theta)
            free[np.where(free, -np.inf, gradient).argmax()] = True
    return x


def _step_on_face(x: Floats, face: Integers, gradient: Floats, centred: Floats) -> float:
    """Go to the maximum on a face, or as far as the first entry that becomes 0; return how far."""
    bordered = np.ones((face.size + 1, face.size + 1))  # the form bends by the step; its sum is 0
    bordered[:-1, :-1] = centred[np.ix_(face, face)]
    bordered[-1, -1] = 0
    wanted = np.append(gradient[face], 0.0)
    # Least squares: where reports do not tell values apart, the form is flat and any step will do.
    step = scipy.linalg.lstsq(bordered, wanted, lapack_driver="gelsy")[0][:-1]
    falling = step < 0
    lengths = np.full(face.size, np.inf)
    lengths[falling] = x[face][falling] / -step[falling]
    length = min(1.0, float(lengths.min()))
    x[face] = np.where(lengths <= length, 0.0, x[face] + length * step)
    x /= x.sum()
    return length
