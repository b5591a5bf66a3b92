import json
import os
from pathlib import Path

import numpy as np
import pytest

import isogloss.translator.saved as saved
from isogloss.errors import IsoglossError, ModelError
from isogloss.translator import Translator, load
from isogloss.vectors.model import Vectors

RECIPES = ["best", "mikolov", "faruqui"]


def everything(model, small):
    """All that a user can ask of a model, as plain values."""
    words = [*small.source.words, "s1 s2", "S3"]
    return (
        model.translate(words, topn=7),
        model.translate(list(small.target.words), topn=7, reverse=True),
        list(model.lexicon(mutual=True)),
        model.evaluate(small.test),
        model.evaluate(small.test, reverse=True),
        model.check(small.train),
        model.info,
        [v.vectors.tolist() for v in model.aligned()],
        model.transform(small.source).vectors.tolist(),
        model.transform(small.target, "target").vectors.tolist(),
    )


def tree(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("name", RECIPES)
def test_what_was_saved_answers_to_the_bit(small, tmp_path, name):
    model = Translator(name, **({"center": True} if name == "best" else {})).fit(*small.three)
    model.save(tmp_path / "model")
    opened = load(tmp_path / "model")
    assert everything(opened, small) == everything(model, small)
    assert repr(opened) == repr(model)
    opened.save(str(tmp_path / "again"))
    assert tree(tmp_path / "again") == tree(tmp_path / "model")
    assert names(tmp_path) == ["again", "model"]


def test_a_model_is_opened_memory_mapped(folder):
    forward = load(str(folder)).model_.forward
    for array in (forward.X, forward.Y, forward.penalty):
        base = array
        while not isinstance(base, np.memmap):
            base = base.base
        assert not array.flags.writeable


def test_a_model_can_replace_the_one_it_was_opened_from(folder, small):
    before = tree(folder)
    load(folder).save(folder)
    assert tree(folder) == before
    assert load(folder).translate("s1")[0].translations


def test_saving_replaces_a_model_but_nothing_else(folder, asymmetric, tmp_path):
    asymmetric.save(folder)
    assert load(folder).info.recipe == "mikolov"
    load(folder).save(tmp_path / "new" / "folders")
    (tmp_path / "empty").mkdir()
    asymmetric.save(tmp_path / "empty")
    foreign = tmp_path / "photos"
    foreign.mkdir()
    (foreign / "cat.jpg").write_bytes(b"miaow")
    file = tmp_path / "thesis.txt"
    file.write_bytes(b"years of work")
    for path in (foreign, file):
        with pytest.raises(IsoglossError, match=r"isogloss did not make.*choose another name"):
            asymmetric.save(path)
    assert (foreign / "cat.jpg").read_bytes() == b"miaow"
    assert file.read_bytes() == b"years of work"
    found = names(tmp_path)
    assert found == ["empty", "model", "new", "photos", "thesis.txt"]


def test_a_link_to_a_model_stays_a_link(folder, asymmetric, tmp_path):
    link = tmp_path / "latest"
    link.symlink_to(folder.name)
    asymmetric.save(link)
    assert link.is_symlink()
    assert load(folder).info.recipe == "mikolov"
    assert names(tmp_path) == ["latest", "model"]


def test_the_current_folder_is_no_place_for_a_model(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="got the current folder"):
        model.save(".")
    model.save("here")
    assert load("here").info == model.info


FAILURES = [KeyboardInterrupt(), OSError(28, "No space left on device")]


@pytest.mark.parametrize("step", ["fill_store", "write_tensors", "replacing"])
@pytest.mark.parametrize("failure", FAILURES, ids=["interrupt", "full disk"])
def test_an_interrupted_save_leaves_the_old_model_whole(
    folder, asymmetric, monkeypatch, step, failure
):
    before = tree(folder)

    def fail(*args, **kwargs):
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr(saved, step, fail)
        with pytest.raises(type(failure)):
            asymmetric.save(folder)
    assert tree(folder) == before
    assert names(folder.parent) == ["model"]


def test_a_save_that_cannot_be_put_in_place_leaves_the_old_model_whole(
    folder, asymmetric, monkeypatch
):
    before = tree(folder)
    rename, failures = Path.rename, [OSError(28, "No space left on device")]

    def fail_once(self, target):
        if target == folder and failures:
            raise failures.pop()
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail_once)
        with pytest.raises(OSError, match="No space"):
            asymmetric.save(folder)
    assert failures == []
    assert tree(folder) == before
    assert names(folder.parent) == ["model"]


def damage(folder, name, change):
    path = folder / name
    path.write_bytes(change(path.read_bytes()))


def change_json(folder, **changes):
    damage(folder, "model.json", lambda b: json.dumps(json.loads(b) | changes).encode())


DAMAGES = {
    "cut tensors": (lambda f: damage(f, "model.safetensors", lambda b: b[:-100]), "cut off"),
    "empty tensors": (lambda f: damage(f, "model.safetensors", lambda b: b""), "damaged"),
    "no tensors": (lambda f: (f / "model.safetensors").unlink(), "damaged, fit it again"),
    "cut rows": (lambda f: damage(f, "source/vectors.safetensors", lambda b: b[:-4]), "cut off"),
    "no words": (lambda f: (f / "target/words.safetensors").unlink(), "no such file"),
    "no store": (lambda f: (f / "target").rename(f / "elsewhere"), "store.json"),
    "cut json": (lambda f: damage(f, "model.json", lambda b: b[:200]), "fit it again"),
    "no json": (lambda f: damage(f, "model.json", lambda b: b"\xff\xfe\x00"), "fit it again"),
    "another json": (lambda f: damage(f, "model.json", lambda b: b"[1]"), "fit it again"),
    "less json": (lambda f: damage(f, "model.json", lambda b: b"{}"), "fit it again"),
    "another format": (lambda f: change_json(f, format="bert"), "got the format 'bert'"),
    "less told": (lambda f: change_json(f, model={}), "fit it again"),
    "newer": (lambda f: change_json(f, schema=2, isogloss="9.0"), "made by isogloss 9.0"),
    "not symmetric": (lambda f: change_json(f, symmetric=False), "damaged"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_model_is_refused_in_plain_words(folder, name):
    change, message = DAMAGES[name]
    change(folder)
    with pytest.raises(ModelError, match=message) as caught:
        load(folder)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_newer_model_is_refused_whatever_else_is_in_it(folder):
    change_json(folder, schema=2, model="told quite differently", files=None)
    with pytest.raises(ModelError, match=r"of version 2.*reads up to version 1: install a newer"):
        load(folder)


def test_a_file_where_a_part_of_the_model_should_be(folder):
    for name in ("source", "target"):
        (folder / name).rename(folder / f"{name}.old")
        (folder / name).write_bytes(b"")
    with pytest.raises(ModelError, match="damaged, fit it again"):
        load(folder)


def test_arrays_that_do_not_belong_together_are_refused(folder, asymmetric, tmp_path, small):
    few = Translator("nn").fit(
        Vectors(small.source.words, small.source.vectors),
        (list(small.target.words[:200]), small.target.vectors[:200]),
        small.train,
    )
    few.save(tmp_path / "few")
    (tmp_path / "few" / "model.safetensors").replace(folder / "model.safetensors")
    with pytest.raises(ModelError, match=r"200 hub numbers.*do not belong together"):
        load(folder)


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "notes.txt").write_bytes(b"")
    for path in ("nowhere", "photos", "notes.txt"):
        with pytest.raises(ModelError, match=r"got no model.json in it, expected a folder"):
            load(tmp_path / path)


def test_paths_that_are_not_utf8_and_numpy_settings_are_saved(small, tmp_path):
    pairs = tmp_path / os.fsdecode(b"d\xe9j\xe0.txt")
    pairs.write_text("".join(f"{s} {t}\n" for s, t in small.train), "utf-8")
    settings = {"strength": np.float64(0.5), "random_state": np.int64(3)}
    model = Translator("isf", **settings).fit(small.source, small.target, pairs)
    model.save(tmp_path / "model")
    info = load(tmp_path / "model").info
    assert info.dictionary.endswith("d\ufffdj\ufffd.txt")
    assert info.seed == 3
    assert info.settings["strength"] == 0.5
    assert info.forward == model.info.forward


def test_the_description_is_json_that_a_person_can_read(folder):
    text = (folder / "model.json").read_text("utf-8")
    told = json.loads(text)
    assert "\n" in text
    assert told["format"] == "isogloss-model"
    assert told["files"]["model.safetensors"].startswith("sha256:")
    assert told["model"]["recipe"] == "best"
    assert told["model"]["forward"]["beta"] > 1
