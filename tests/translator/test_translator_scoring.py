import numpy as np
import pytest

import oracle
from isogloss.dictionary import WordPairs
from isogloss.errors import DictionaryError
from isogloss.translator import Translator
from translator.worlds import world


def literal(model, listed, reverse=False):
    """Lowest and highest ranks of the best right answers; 0 where not covered.

    By a whole table of scores, of which those that are nearer than 2e-6 may change places.
    """
    asked, answering, way = model.model_.direction(reverse)
    S = (np.asarray(way.Y, float) @ np.asarray(way.X, float).T).T
    scores = S - way.strength * way.penalty
    ranks = []
    for word, golds in listed.items():
        j = asked.get(word)
        golds = [i for i in map(answering.get, golds) if i is not None]
        if j is None or not golds:
            ranks.append((0, 0))
        else:
            best = scores[j, golds].max()
            others = np.delete(scores[j], golds)
            ranks.append(tuple(1 + int((others > best + by).sum()) for by in (2e-6, -2e-6)))
    return np.array(ranks).T


@pytest.mark.parametrize("name", ["best", "nn", "csls", "mikolov"])
@pytest.mark.parametrize("reverse", [False, True])
def test_an_evaluation_is_the_literal_one(name, reverse):
    small = world(noise=1.3, seed=2)
    model = Translator(name).fit(*small.three)
    listed = {f"s{i}": [f"t{i}"] for i in range(100, 240)}  # 60 were trained on
    listed["s101"] += ["t5", "t101", "t7"]  # several right answers, one listed twice
    listed["s102"] += ["nowhere"]  # one of two is known
    listed["s230"] += ["t4"]  # not trained on, but one of its answers
    listed["s103"] = ["nowhere"]  # the word is known, its answer is not
    listed["mystery"] = ["t3"]
    given = WordPairs.of((s, t) for s, golds in listed.items() for t in golds)
    if reverse:
        listed = {}
        for s, t in given:
            listed.setdefault(t, []).append(s)
    scored = model.score(given, reverse=reverse)
    low, high = literal(model, listed, reverse)
    ranks = scored.ranks
    assert scored.queries == tuple(listed)
    assert ((low <= ranks) & (ranks <= high)).all()
    assert (low == high).mean() > 0.9
    assert (low > 1).any()

    report = model.evaluate(given, reverse=reverse)
    assert report == scored.report
    covered = ranks > 0
    mark = "t" if reverse else "s"
    trained = np.array([w[0] == mark and w[1:].isdigit() and int(w[1:]) < 160 for w in listed])
    assert report.words.listed == len(listed)
    assert report.words.covered == covered.sum()
    assert report.words.unseen == (covered & ~trained).sum()
    assert report.words.seen_source == (covered & trained).sum()
    golds = [[int(t[1:]) for t in part if t[1:].isdigit()] for part in listed.values()]
    by_target = np.array([any(i < 160 for i in part) for part in golds])
    assert report.words.seen_target == (covered & by_target).sum()
    assert report.words.unseen_strict == (covered & ~trained & ~by_target).sum()
    assert 0 < report.words.seen_target < report.words.covered
    for k in (1, 5, 10):
        hits = covered & (ranks <= k)
        assert report.precision.covered[str(k)] == pytest.approx(hits.sum() / covered.sum())
        assert report.precision.listed[str(k)] == pytest.approx(hits.sum() / len(listed))
        unseen = covered & ~trained
        assert report.precision.unseen[str(k)] == pytest.approx(hits[unseen].mean())
    assert report.mrr.covered == pytest.approx((1 / ranks[covered]).mean())
    assert report.mrr.listed == pytest.approx((1 / ranks[covered]).sum() / len(listed))


def test_what_was_trained_on_is_counted(small, model):
    report = model.evaluate([("s1", "t200"), ("s200", "t1"), ("s201", "t201"), ("s2", "t2")])
    words = report.words
    assert (words.listed, words.covered) == (4, 4)
    assert (words.seen_source, words.seen_target) == (2, 2)
    assert (words.unseen, words.unseen_strict) == (2, 1)
    training = model.evaluate(small.train)
    assert training.words.unseen == 0
    assert training.precision.unseen == {"1": None, "5": None, "10": None}


def test_words_and_answers_seen_in_training_are_not_confused(small):
    train = [(f"s{i}", f"t{239 - i}") for i in range(80)]
    model = Translator("nn").fit(small.source, small.target, train)
    listed = [("s100", "t200"), ("s101", "t201"), ("s1", "t100"), ("s2", "t238")]
    words = model.evaluate(listed).words
    assert (words.seen_source, words.seen_target, words.unseen_strict) == (2, 3, 0)
    words = model.evaluate(listed, reverse=True).words
    assert (words.seen_source, words.seen_target, words.unseen_strict) == (3, 2, 0)


def test_nothing_covered_and_nothing_listed(model):
    with pytest.raises(DictionaryError, match="got no pair with both sides"):
        model.evaluate([("x", "y"), ("s1", "y")])
    with pytest.raises(DictionaryError, match="got a dictionary without pairs"):
        model.evaluate([])


def test_a_planted_wrong_pair_is_the_most_doubtful():
    small = world(n=300, d_x=16, d_y=16, n_train=250, noise=0.4)
    wrong = [("s10", "t77"), ("s99", "t3"), ("s200", "t111")]
    swapped = dict(wrong)
    pairs = [(s, swapped.get(s, t)) for s, t in small.train]
    model = Translator().fit(small.source, small.target, pairs)
    doubts = model.check(WordPairs.of(pairs))
    assert len(doubts) == 250
    assert {(d.source, d.target) for d in doubts[:3]} == set(wrong)
    assert all(d.held_out for d in doubts)
    assert [d.probability for d in doubts] == sorted(d.probability for d in doubts)
    assert all(0 <= d.probability <= 1 for d in doubts)
    assert doubts[0].best == f"t{doubts[0].source[1:]}"
    assert doubts[0].best_probability > 0.5
    assert doubts[-1].best == doubts[-1].target


def test_pairs_that_were_not_trained_on_have_the_models_own_probability(model):
    pairs = [("s1", "t1"), ("s200", "t200"), ("s200", "t7"), ("s1", "t9"), ("x", "t1")]
    doubts = {(d.source, d.target): d for d in model.check(pairs)}
    assert set(doubts) == set(pairs[:4])
    assert doubts["s1", "t1"].held_out
    said = {t.word: t.probability for t in model.translate("s200", topn=240)[0].translations}
    for target in ("t200", "t7"):
        assert not doubts["s200", target].held_out
        assert doubts["s200", target].probability == pytest.approx(said[target], rel=1e-4)
    said = {t.word: t.probability for t in model.translate("s1", topn=240)[0].translations}
    assert doubts["s1", "t9"].probability == pytest.approx(said["t9"], rel=1e-4)
    assert doubts["s1", "t1"].best_probability == pytest.approx(max(said.values()), rel=1e-4)
    with pytest.raises(DictionaryError, match="no pair"):
        model.check([("x", "y")])


def test_the_order_of_the_dictionary_does_not_matter_to_the_check():
    small = world(n=150, n_train=110, seed=3)
    pairs = sorted([*small.train, *((f"s{i}", f"t{i + 1}") for i in range(0, 110, 4))])
    shuffled = [pairs[k] for k in np.random.default_rng(0).permutation(len(pairs))]
    told = []
    for given in (pairs, shuffled):
        model = Translator("isf", beta=20.0).fit(small.source, small.target, given)
        doubts = model.check(WordPairs.of(given))
        assert all(d.held_out for d in doubts)
        told.append({(d.source, d.target): d.probability for d in doubts})
    assert set(told[0]) == set(pairs)
    assert told[1] == pytest.approx(told[0], rel=1e-3)


def test_held_out_probabilities_are_those_of_a_map_without_the_word():
    """Five words make five folds, so that the literal way is to fit again without each."""
    tiny = world(n=60, d_x=4, d_y=4, n_train=5, noise=0.3)
    model = Translator("isf", n_samples="all", beta=20.0).fit(*tiny.three)
    X, Y = tiny.rows
    doubts = {d.source: d.probability for d in model.check(tiny.train)}
    for j in range(5):
        others = [i for i in range(5) if i != j]
        U, _, Vt = oracle.svd(oracle.cross_moment(X[others], Y[others]))
        S = oracle.shared_similarity(U, Vt, X, Y)
        P, _ = oracle.inverted_softmax(S, S, 20.0)
        assert doubts[f"s{j}"] == pytest.approx(P[j, j], rel=1e-3)
