import json
import threading
from subprocess import PIPE, Popen

import numpy as np
import pytest

from isogloss.cli import COMMANDS
from isogloss.translator import load
from isogloss.vectors import Vectors, Words, read
from translator.worlds import write_text

NAMES = [command.name for command in COMMANDS]


FEW = """
import sys
import isogloss
module = sys.modules["isogloss.sample"]
en, it, train, test = module.sample()
few = [isogloss.as_vectors((v.words[:2500], v.vectors[:2500])) for v in (en, it)]
module.sample = lambda: (*few, train, test)
from isogloss.cli import main
main()
"""


def lines(ran):
    return [line.split("\t") for line in ran.out.splitlines()]


def objects(ran):
    return [json.loads(line) for line in ran.out.splitlines()]


def test_fit_and_what_comes_of_it(place):
    ran = place.run("fit", "en.vec", "it.vec", "-d", "train.txt", "-o", "fresh", "--recipe", "isf")
    assert (ran.status, ran.err) == (0, "")
    told = dict(line.split("  ", 1) for line in ran.out.splitlines())
    assert told["dictionary"].strip() == "80 of 80 pairs used"
    assert "120 words × 10 from" in told["source"]
    assert "β = " in told["source → target"]
    model = load(place.folder / "fresh")
    assert model.info.source.path.endswith("en.vec")
    assert model.info.forward == load(place.folder / "model").info.forward
    assert place.run("info", "fresh").out == ran.out

    ran = place.run("info", "fresh", "--json")
    info = objects(ran)[0]
    assert info["recipe"] == "isf"
    assert info["pairs"]["used"] == 80
    assert info["forward"]["beta"] == model.info.forward.beta


def test_fit_takes_its_settings(place):
    ran = place.run(
        *("fit", "it.vec", "en.vec", "-d", "train.txt", "-d", "train.txt", "--reverse"),
        *("-o", "set", "--json", "--n-components", 5, "--n-samples", 50, "--beta", 12, "--center"),
        *("--strength", "learnt", "--limit", 100, "--seed", 7, "--no-cache"),
        ISOGLOSS_HOME=str(place.folder / "unused"),
    )
    assert ran.status == 0
    info = objects(ran)[0]
    assert info["recipe"] == "best, changed"
    assert info["settings"]["mapping"] == "Orthogonal(center=True)"
    assert (info["n_components"], info["seed"]) == (5, 7)
    assert info["forward"]["beta"] == pytest.approx(12)
    assert info["forward"]["sources"] == 50
    assert info["source"]["words"] == 100
    assert (info["pairs"]["used"], info["pairs"]["duplicates"]) == (80, 80)
    assert "unused" not in place.names()


def test_fit_from_identical_strings(place):
    words = read(place.folder / "en.vec", cache=False)
    turned = Vectors(words.words, np.ascontiguousarray(words.vectors[:, ::-1]))
    write_text(place.folder / "turned.vec", turned)
    ran = place.run("fit", "en.vec", "turned.vec", "--identical", "-o", "same")
    assert ran.status == 0
    assert "120 of 120 pairs used" in ran.out
    ran = place.run("translate", "same", "s5", "-n", 1)
    assert lines(ran)[0][:2] == ["s5", "s5"]


def test_translate_prints_tabs_on_stdout_and_notes_on_stderr(place):
    ran = place.run("translate", "model", "s100", "s1o0", "S3", "s1 s2", "-n", 2)
    assert ran.status == 1
    assert ran.err.startswith("isogloss: unknown word: s1o0; did you mean s10, s100, s110?")
    assert ran.err.count("\n") == 1
    rows = lines(ran)
    assert [row[0] for row in rows] == ["s100"] * 2 + ["S3 (s3)"] * 2 + ["s1 s2 (s1 + s2)"] * 2
    answer = load(place.folder / "model").translate("s100", topn=2)[0]
    assert [row[1] for row in rows[:2]] == [t.word for t in answer.translations]
    assert rows[0][2] == f"{answer.translations[0].probability:.4f}"
    assert all(len(row) == 4 for row in rows)

    ran = place.run("translate", "model", "t100", "--reverse", "-n", 3)
    assert (ran.status, ran.err) == (0, "")
    assert len(lines(ran)) == 3
    assert lines(ran)[0][1].startswith("s")


def test_translate_as_json(place):
    ran = place.run("translate", "model", "--json", "s100", "s1o0", "S3")
    assert (ran.status, ran.err) == (1, "")
    known, unknown, cased = objects(ran)
    assert known["query"] == "s100"
    assert len(known["translations"]) == 5
    assert set(known["translations"][0]) == {"word", "probability", "score", "cosine"}
    assert (unknown["query"], unknown["error"]) == ("s1o0", "unknown word")
    assert "s100" in unknown["suggestions"]
    assert "error" not in known
    assert cased["found_as"] == "s3"


def test_translate_reads_one_word_a_line(place):
    stdin = b"s1\n\n  \t\ns2\r\n caf\xff \ns1 s2\ns3"
    ran = place.run("translate", "model", "-n", 1, stdin=stdin)
    assert ran.status == 1
    assert [row[0] for row in lines(ran)] == ["s1", "s2", "s1 s2 (s1 + s2)", "s3"]
    assert ran.err == "isogloss: unknown word: caf\\udcff\n"
    ran = place.run("translate", "model", "-n", 1, "--json", stdin=stdin)
    assert [o["query"] for o in objects(ran)] == ["s1", "s2", "caf\ufffd", "s1 s2", "s3"]
    ran = place.run("translate", "model", stdin=b"\n\n")
    assert (ran.status, ran.out, ran.err) == (0, "", "")


def test_a_pipe_is_answered_line_by_line(place):
    command = place.command("translate", "model", "-n", 1)
    with Popen(command, cwd=place.folder, env=place.env, stdin=PIPE, stdout=PIPE) as child:
        watch = threading.Timer(60, child.kill)
        watch.start()
        for word in (b"s1", b"s2", b"s3"):
            child.stdin.write(word + b"\n")
            child.stdin.flush()
            assert child.stdout.readline().split(b"\t")[0] == word
        child.stdin.close()
        assert child.wait() == 0
        watch.cancel()


def test_evaluate_counts_and_measures(place):
    ran = place.run("evaluate", "model", "test.txt", "--json")
    assert (ran.status, ran.err) == (0, "")
    told = objects(ran)[0]
    report = load(place.folder / "model").evaluate(place.folder / "test.txt")
    assert (told["words"]["listed"], told["words"]["covered"]) == (42, 40)
    assert told["words"]["unseen"] == 40
    for over in ("covered", "listed", "unseen"):
        expected = getattr(report.precision, over)
        assert {k: told["precision"][over][k] for k in ("1", "5", "10")} == expected
    assert told["mrr"]["covered"] == report.mrr.covered
    assert told["precision"]["listed"]["1"] < told["precision"]["covered"]["1"]

    ran = place.run("evaluate", "model", "test.txt", "--reverse", "--compare", "worse")
    assert ran.status == 0
    assert "words listed" in ran.out
    assert "40 words (paired bootstrap)" in ran.out
    table = [row for row in lines(ran) if len(row) == 6]
    assert [row[0] for row in table] == [
        *("", "covered", "listed", "not seen in training", "rank 0–5k")
    ]
    ran = place.run("evaluate", "model", "test.txt", "--compare", "worse", "--json")
    assert objects(ran)[0]["compare"]["words"] == 40
    assert objects(ran)[0]["compare"]["difference"] > 0


def test_lexicon_of_all_words(place):
    ran = place.run("lexicon", "model")
    assert (ran.status, ran.err) == (0, "")
    assert [row[0] for row in lines(ran)] == [f"s{i}" for i in range(120)]
    options = ("--mutual", "-p", 0.5, "-n", 2, "--reverse", "--limit", 60)
    rows = lines(place.run("lexicon", "model", *options))
    said = load(place.folder / "model").lexicon(
        mutual=True, min_probability=0.5, topn=2, reverse=True, limit=60
    )
    assert rows == [
        [answer.query, t.word, f"{t.probability:.4f}"]
        for answer in said
        for t in answer.translations
    ]
    assert 10 < len(rows) < 60
    assert len(objects(place.run("lexicon", "model", "--json", "--limit", 3))) == 3


def test_export_writes_both_languages_in_one_space(place):
    aligned = load(place.folder / "model").aligned()
    for form, name, output in (
        ("vec", "model", ()),
        ("bin", "other", ("-o", "other")),
        ("safetensors", "photos/model", ("-o", "photos")),
    ):
        ran = place.run("export", "model", "--aligned", form, *output)
        assert (ran.status, ran.out) == (0, "")
        assert "120 × 10" in ran.err
        for side, expected in zip(("source", "target"), aligned, strict=True):
            path = place.folder / f"{name}.{side}.{form}"
            written = read(path, cache=False)
            assert list(written.words) == list(expected.words)
            np.testing.assert_array_equal(written.vectors, expected.vectors)


def test_export_of_the_current_folder_is_named_after_it(place):
    (place.folder / "inside").mkdir()
    load(place.folder / "model").save(place.folder / "inside" / "pair")
    script = f"import os; os.chdir('inside/pair'); {'from isogloss.cli import main; main()'}"
    ran = place.run("export", ".", "-o", "../twin", script=script)
    assert ran.status == 0
    ran = place.run("export", ".", script=script)
    assert ran.status == 0
    assert (place.folder / "inside" / "pair" / "pair.source.vec").is_file()
    assert (place.folder / "inside" / "twin.source.vec").is_file()


def test_transform_brings_other_rows_into_the_space(place):
    ran = place.run("transform", "model", "it.vec", "--side", "target", "-o", "moved.vec")
    assert (ran.status, ran.out) == (0, "")
    moved = read(place.folder / "moved.vec", cache=False)
    stored = load(place.folder / "model").aligned()[1]
    assert list(moved.words) == list(stored.words)
    np.testing.assert_allclose(moved.vectors, stored.vectors, atol=1e-6)


def test_folders_for_what_is_written_are_made(place):
    ran = place.run("transform", "model", "en.vec", "-o", "made/here/x.vec")
    assert ran.status == 0
    assert len(read(place.folder / "made" / "here" / "x.vec", cache=False)) == 120
    ran = place.run("export", "model", "-o", "made/there/pair")
    assert ran.status == 0
    assert (place.folder / "made" / "there" / "pair.target.vec").is_file()


def test_check_lists_the_doubtful_pairs_first(place):
    ran = place.run("check", "model")
    rows = lines(ran)
    assert ran.status == 0
    assert len(rows) == 80
    probabilities = [float(row[2]) for row in rows]
    assert probabilities == sorted(probabilities)
    assert {row[3] for row in rows} == {"held out"}
    (place.folder / "wrong.txt").write_text("s100\tt100\ns101\tt55\n", "utf-8")
    ran = place.run("check", "model", "wrong.txt", "-n", 1, "--json")
    (doubt,) = objects(ran)
    assert (doubt["source"], doubt["target"], doubt["held_out"]) == ("s101", "t55", False)
    assert doubt["best"] == load(place.folder / "model").translate("s101")[0].translations[0].word


def test_cache_is_seen_verified_and_cleared(place):
    home = {"ISOGLOSS_HOME": str(place.folder / "elsewhere")}
    ran = place.run("cache", **home)
    assert (ran.status, ran.out) == (0, "")
    assert "0 copies" in ran.err
    assert place.run("transform", "model", "en.vec", "-o", "x.vec", **home).status == 0
    ran = place.run("cache", **home)
    assert lines(ran)[0][0].endswith("en.vec")
    (entry,) = objects(place.run("cache", "--json", **home))
    assert entry["source"].endswith("en.vec")
    assert entry["bytes"] > 4800
    assert place.run("cache", "verify", **home).status == 0
    ran = place.run("cache", "clear", **home)
    assert "freed" in ran.err
    assert place.run("cache", **home).out == ""


def test_demo_runs_on_what_is_in_the_package(place):
    ran = place.run("demo", script=FEW)
    assert ran.status == 0
    assert "gennaio" in ran.out
    assert "P@1 " in ran.out
    assert "1,447 pairs" in ran.err


@pytest.mark.parametrize("name", NAMES)
def test_every_command_tells_how_it_is_used(place, name):
    ran = place.run(name, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: isogloss {name} ")


def test_the_program_tells_what_it_has(place):
    ran = place.run("-h")
    assert ran.status == 0
    told = ran.out[ran.out.index("Commands:") :].splitlines()
    assert [line.split()[0] for line in told[1:]] == NAMES
    assert place.run("--version").out.startswith("isogloss, version ")


def test_words_keep_their_own_bytes(place):
    """White space that is no space or tab belongs to a word, and so does invalid UTF-8."""
    words = ["z\xa0z", "\u3000a", "caf\udce9", "x\x85", "l\u2028n", *(f"s{i}" for i in range(115))]
    rows = read(place.folder / "en.vec", cache=False).vectors
    write_text(place.folder / "odd.vec", Vectors(Words.of(words), rows))
    assert place.run(
        *("fit", "odd.vec", "it.vec", "-d", "train.txt", "-o", "odd", "--recipe", "nn")
    ).status in (0,)
    stdin = "\n".join(words[:5]).encode("utf-8", "surrogateescape")
    ran = place.run("translate", "odd", "-n", 1, stdin=stdin)
    assert ran.status == 0
    assert [row.split("\t")[0] for row in ran.out.split("\n")[:-1]] == words[:5]
    ran = place.run("lexicon", "odd", "--limit", 5)
    assert [row.split("\t")[0] for row in ran.out.split("\n")[:-1]] == words[:5]
    ran = place.run("lexicon", "odd", "--limit", 5, "--json")
    asked = [json.loads(line)["query"] for line in ran.out.split("\n")[:-1]]
    assert asked == [*words[:2], "caf\ufffd", *words[3:5]]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_output_is_utf8_in_any_locale(place, encoding):
    for args in (("info", "model"), ("evaluate", "model", "test.txt"), ("lexicon", "model")):
        ran = place.run(*args, PYTHONIOENCODING=encoding)
        assert (ran.status, ran.err) == (0, "")
        ran.out.encode("utf-8")  # no byte that is not UTF-8
