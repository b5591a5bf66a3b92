import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from isogloss.errors import IsoglossError
from isogloss.mapping import CCA, LeastSquares, Moments, Orthogonal, Space, mapping, space

quiet = settings(deadline=None, database=None, max_examples=40)
MAPS = [Orthogonal(), Orthogonal(center=True), LeastSquares(), CCA()]


def fitted(method=MAPS[0], d_x=10, d_y=7):
    X, Y = oracle.random_pair(0, 300, d_x, d_y)
    return X, Y, method.fit(Moments.of(X, Y))


@pytest.mark.parametrize("method", MAPS, ids=str)
def test_projected_rows_are_unit_and_zeros_stay_zeros(method):
    X, Y, found = fitted(method)
    X, Y = np.concatenate([X, X[:1] * 0]), np.concatenate([Y[:1] * 0, Y])
    for rows, side, zero in ((X, "source", -1), (Y, "target", 0)):
        out = found.project(rows, side)
        assert out.dtype == np.float32
        assert out.shape == (301, found.n_components)
        length = np.linalg.norm(out.astype(float), axis=1)
        assert length[zero] == 0
        np.testing.assert_allclose(np.delete(length, zero), 1, atol=1e-6)


@pytest.mark.parametrize("method", MAPS, ids=str)
@quiet
@given(scale=st.floats(-10, 10).map(lambda x: 2.0**x))
def test_only_the_direction_of_a_row_counts(method, scale):
    X, _, found = fitted(method)
    a, b = found.project(X * scale, "source"), found.project(X, "source")
    np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("method", MAPS, ids=str)
def test_the_similarity_is_that_of_the_definition(method):
    X, Y, found = fitted(method)
    mean_x = 0 if found.source_mean is None else found.source_mean
    mean_y = 0 if found.target_mean is None else found.target_mean
    A = oracle.unit_rows((X - mean_x) @ found.source_map)
    B = oracle.unit_rows((Y - mean_y) @ found.target_map)
    S = found.project(Y, "target").astype(float) @ found.project(X, "source").T
    np.testing.assert_allclose(S, B @ A.T, atol=1e-5)


@pytest.mark.parametrize("method", MAPS, ids=str)
def test_float16_rows_are_taken(method):
    X, _, found = fitted(method)
    half = X.astype(np.float16)
    expected = found.project(half.astype(float), "source")
    np.testing.assert_allclose(found.project(half, "source"), expected, atol=1e-6)


@pytest.mark.parametrize("n", [0, 1, 5, 12, 13])
def test_blocks_change_nothing(n, monkeypatch):
    X, _, found = fitted(Orthogonal(center=True))
    whole = found.project(X[:n], "source")
    monkeypatch.setattr(space, "_BLOCK", 4)
    np.testing.assert_allclose(found.project(X[:n], "source"), whole, atol=1e-6)
    assert whole.shape == (n, 7)


def test_project_leaves_its_rows_alone():
    X, _, found = fitted(Orthogonal(center=True))
    for dtype in (np.float16, np.float32, np.float64):
        rows = X.astype(dtype)
        before = rows.copy()
        found.project(rows, "source")
        np.testing.assert_array_equal(rows, before)
        rows.flags.writeable = False
        found.project(rows, "source")


def test_truncated_keeps_the_first_directions():
    _, _, found = fitted()
    for k in range(1, 8):
        less = found.truncated(k)
        assert less.n_components == k
        np.testing.assert_array_equal(less.source_map, found.source_map[:, :k])
        np.testing.assert_array_equal(less.target_map, found.target_map[:, :k])
        np.testing.assert_array_equal(less.singular_values, found.singular_values[:k])
        assert less.truncated(1).n_components == 1
    assert found.truncated(None) is found
    assert found.truncated(7) is found
    centred = fitted(Orthogonal(center=True))[2]
    assert centred.truncated(3).source_mean is centred.source_mean
    assert centred.truncated(3).target_mean is centred.target_mean


@pytest.mark.parametrize("n", [0, -1, 8, 1000])
def test_truncated_says_what_is_possible(n):
    with pytest.raises(IsoglossError, match=f"n_components={n}, expected 1 to 7"):
        fitted()[2].truncated(n)


def test_directions_without_order_cannot_be_dropped():
    found = fitted(LeastSquares())[2]
    assert found.singular_values is None
    assert found.truncated(None) is found.truncated(7) is found
    with pytest.raises(IsoglossError, match="no order"):
        found.truncated(3)


@pytest.mark.parametrize("method", MAPS, ids=str)
def test_swapped_exchanges_the_sides(method):
    X, Y, found = fitted(method)
    back = found.swapped
    np.testing.assert_array_equal(back.project(Y, "source"), found.project(Y, "target"))
    np.testing.assert_array_equal(back.project(X, "target"), found.project(X, "source"))
    np.testing.assert_allclose(back.matrix, found.matrix.T, rtol=1e-12)
    np.testing.assert_allclose(back.swapped.matrix, found.matrix, rtol=1e-12)


@pytest.mark.parametrize("shape", [(3, 9), (3, 11), (10,), (0, 3), (1, 2, 10)])
def test_rows_of_another_size_are_refused(shape):
    with pytest.raises(IsoglossError, match="source side"):
        fitted()[2].project(np.zeros(shape), "source")
    with pytest.raises(IsoglossError, match="target side"):
        fitted()[2].project(np.zeros(shape), "target")


def test_a_space_may_be_made_by_hand():
    same = Space(np.eye(3), np.eye(3))
    rows = np.array([[3.0, 4, 0], [0, 0, 2]])
    np.testing.assert_allclose(same.project(rows, "source"), [[0.6, 0.8, 0], [0, 0, 1]], atol=1e-7)
    np.testing.assert_array_equal(same.matrix, np.eye(3))


def test_a_name_or_a_map():
    kinds = {"orthogonal": Orthogonal, "least_squares": LeastSquares, "cca": CCA}
    for name, kind in kinds.items():
        assert isinstance(mapping(name), kind)
    own = Orthogonal(center=True)
    assert mapping(own) is own
    with pytest.raises(IsoglossError, match="'procrustes', expected one of"):
        mapping("procrustes")
