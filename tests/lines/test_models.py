"""A model for each memory: chosen by the user, stamped in the index, never mixed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.doors import PERSON

from memoranda import Memory
from memoranda.memory.settings import load
from memoranda.model.errors import Conflict, Invalid
from memoranda.model.settings import Settings

ENGLISH = "The gateway retries five times before it gives up"
FRENCH = "La passerelle réessaie cinq fois avant d'abandonner"


def filled(settings: Settings, path: Path, text: str) -> Memory:
    memory = Memory.init(path, settings=settings, door=PERSON)
    memory.remember(text)
    memory.embed()
    return memory


def test_a13_each_memory_has_the_model_its_user_chose_for_it(settings: Settings, tmp_path: Path) -> None:
    english, french = tmp_path / "english", tmp_path / "french"
    chosen = replace(settings, embedder="minilm", embedders={str(french): "hashing"})
    with filled(chosen, english, ENGLISH) as one, filled(chosen, french, FRENCH) as other:
        models = [memory.status().index.model for memory in (one, other)]
        assert models[0] != models[1]
        assert "hashing" in models[1]
        found = one.recall("combien de fois la passerelle réessaie", also=[other])
        assert FRENCH in [hit.record.body for hit in found.concluded]
        assert "dense" in found.index.signals
        assert found.notices == ()
        turned = other.recall("how often does the gateway retry", also=[one])
        assert ENGLISH in [hit.record.body for hit in turned.concluded]


def test_a13_a_memory_made_with_another_model_is_searched_by_words_until_it_is_made_anew(
    settings: Settings, tmp_path: Path
) -> None:
    place = tmp_path / "memory"
    with filled(replace(settings, embedder="hashing"), place, FRENCH):
        pass
    other = replace(settings, embedders={str(place): "minilm"}, embedder="hashing")
    with Memory.open(place, settings=other, door=PERSON) as memory:
        found = memory.recall("passerelle")
        assert [hit.record.body for hit in found.concluded] == [FRENCH]
        assert "memoranda reindex" in str(found.notices)
        memory.remember(ENGLISH)
        with pytest.raises(Conflict, match="hashing"):
            memory.embed()
        memory.reindex()
        memory.embed()
        assert "hashing" not in memory.status().index.model
        assert memory.recall("passerelle").notices == ()


def test_the_settings_file_names_models_by_folder_and_memory_toml_does_not(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    home = tmp_path / "home"
    (home / "notes").mkdir(parents=True)
    file.write_text('embedder = "minilm"\n[embedders]\n"~/notes" = "hub"\n')
    environ = {"HOME": str(home), "MEMORANDA_SETTINGS": str(file)}
    chosen = load(environ)
    assert chosen.of(home / "notes").embedder == "hub"
    assert chosen.of(home).embedder == "minilm"
    assert load({**environ, "MEMORANDA_EMBEDDER": ""}).of(home / "notes").embedder == ""
    with Memory.init(home / "notes", settings=replace(chosen, embedder="", embedders={}), door=PERSON) as memory:
        toml = memory.root / "memory.toml"
        toml.write_text(toml.read_text() + 'embedder = "hub"\n')
    with Memory.open(home / "notes", settings=replace(chosen, embedder="", embedders={}), door=PERSON) as memory:
        assert memory.status().index.model == ""
    file.write_text('embedders = "hub"\n')
    with pytest.raises(Invalid, match="embedders"):
        load(environ)


def test_what_was_kept_a_moment_ago_is_embedded(settings: Settings) -> None:
    with Memory.init(settings=replace(settings, embedder="hashing"), door=PERSON) as memory:
        memory.remember(ENGLISH)
        assert memory.embed() == 1
