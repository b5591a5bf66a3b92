import numpy as np
import pytest

from isogloss.mapping import Moments, Orthogonal
from isogloss.translator.folds import Pairs, hold_out, make_folds


@pytest.mark.parametrize("candidates", [50, 4000])
def test_each_drawn_target_stands_for_its_share(small, candidates):
    X, Y = (V.astype(np.float32) for V in small.rows)
    source = np.arange(40).repeat(2)
    target = source + np.tile([0, 100], 40)
    pairs = Pairs(X, Y, source, target, Moments.of(X[source], Y[target]))
    held = hold_out(pairs, Orthogonal(), held_out=True, seed=0)
    folds = make_folds(
        *(pairs, held, np.arange(240)),
        n_components=None,
        max_words=None,
        seed=0,
        candidates=candidates,
    )
    assert len(folds) == 5
    for part, fold in zip(held, folds, strict=True):
        chosen = (fold.Y @ part.space.project(Y, "target").T).argmax(axis=1)
        answers = np.unique(target[part.pairs])
        others = 240 - len(answers)
        drawn = min(candidates, others)
        assert len(set(chosen.tolist())) == len(chosen) == len(answers) + drawn
        is_answer = np.isin(chosen, answers)
        assert is_answer.sum() == len(answers)
        assert not fold.log_weight[is_answer].any()
        np.testing.assert_allclose(fold.log_weight[~is_answer], np.log(others / drawn))
        np.testing.assert_array_equal(np.argsort(fold.frequency), np.argsort(chosen))
        steps = np.diff(fold.frequency) - np.diff(np.log(chosen + 10.0))
        np.testing.assert_allclose(steps, 0, atol=1e-6)
        for word, golds in zip(np.unique(source[part.pairs]), fold.golds, strict=True):
            assert sorted(chosen[golds]) == [word, word + 100]
