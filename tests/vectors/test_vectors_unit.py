import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isogloss.vectors import unit_rows

shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=6)
floats = st.floats(allow_nan=False, allow_infinity=False, width=16)


@given(hnp.arrays(np.float16, shapes, elements=floats))
def test_rows_are_of_length_one_and_point_the_same_way(V):
    U = unit_rows(V)
    wide = V.astype(np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    assert U.dtype == np.float32
    assert np.allclose(
        U, np.divide(wide, norms, where=norms > 0, out=np.zeros_like(wide)), atol=1e-6
    )


@pytest.mark.parametrize("scale", [1e-45, 1e-38, 1e-20, 1.0, 1e20, 3e38])
def test_nothing_overflows_or_vanishes(scale):
    V = np.full((2, 300), scale, np.float32)
    assert np.allclose(unit_rows(V), 300**-0.5, rtol=1e-6)


def test_doubles_types_blocks_and_a_copy():
    V = np.random.default_rng(0).normal(size=(9000, 7)) * 1e200
    V[5000] = 0
    U = unit_rows(V, np.float64)
    norms = np.linalg.norm(U, axis=1)
    assert norms[5000] == 0
    assert np.allclose(np.delete(norms, 5000), 1, rtol=1e-14)
    assert unit_rows(V).dtype == np.float32
    assert unit_rows(V[:0]).shape == (0, 7)
    assert not np.shares_memory(unit_rows(U, np.float64), U)
