"""What is built from this tree carries what it should, and works where nothing else is."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODEL = "memoranda/builtin/minilm/"
TREE = ("src", "docs", "tools", "pyproject.toml", "README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "Makefile")


def build(source: Path, out: Path, *kinds: str) -> None:
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), *kinds, str(source)]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is built from, so that a build leaves nothing in the checkout; not a git repository."""
    copy = tmp_path_factory.mktemp("tree")
    for name in (*TREE, "requirements-dev.txt", ".gitignore"):
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(path, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    build(tree, out, "--wheel")
    return next(out.glob("*.whl"))


def test_the_wheel_carries_the_model_and_its_notice(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        card = json.loads(archive.read(f"{MODEL}model.json"))
        for name, digest in card["files"].items():
            assert hashlib.sha256(archive.read(MODEL + name)).hexdigest() == digest
        notice = next(name for name in names if name.endswith("licenses/NOTICE"))
        assert b"all-MiniLM-L6-v2" in archive.read(notice)
    assert {"memoranda/py.typed", "memoranda/__init__.py"} <= names


def test_the_wheel_carries_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        strays = {name for name in archive.namelist() if not re.match(r"memoranda(-[\d.]+\.dist-info)?/", name)}
        caches = {name for name in archive.namelist() if "__pycache__" in name or name.endswith(".pyc")}
    assert (strays, caches) == (set(), set())


def test_building_fetches_nothing_and_works_without_the_model(tree: Path, tmp_path: Path) -> None:
    bare = shutil.copytree(tree, tmp_path / "bare", ignore=shutil.ignore_patterns("*.onnx", "tokenizer.json"))
    build(bare, tmp_path / "out", "--wheel")
    with zipfile.ZipFile(next((tmp_path / "out").glob("*.whl"))) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".onnx")]


@pytest.mark.slow
def test_a_wheel_made_from_the_source_distribution_carries_the_model_too(tree: Path, tmp_path: Path) -> None:
    build(tree, tmp_path, "--sdist")
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    build(next((tmp_path / "source").iterdir()), tmp_path / "out", "--wheel")
    with zipfile.ZipFile(next((tmp_path / "out").glob("*.whl"))) as archive:
        assert f"{MODEL}model.onnx" in archive.namelist()


@pytest.mark.slow
def test_the_wheels_install_in_a_clean_environment_and_embed(wheel: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "agents", tmp_path / "agents", ignore=shutil.ignore_patterns("__pycache__"))
    build(tmp_path / "agents", tmp_path, "--wheel")
    agents = next(tmp_path.glob("*.whl"))
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    binaries = tmp_path / "venv" / "bin"
    install = [str(binaries / "python"), "-m", "pip", "install", "--quiet", str(wheel), str(agents)]
    subprocess.run(install, check=True, capture_output=True)

    def run(*command: str) -> str:
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path).stdout

    assert "0.1.0" in run(str(binaries / "memoranda"), "--version")
    code = "from memoranda.ports.discover import load; print(load('embedders', 'minilm')().query('hello').shape)"
    assert run(str(binaries / "python"), "-c", code) == "(384,)\n"
    code = "from memoranda.ports.discover import names; print(*names('readers'))"
    said = tomllib.loads((ROOT / "agents" / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    assert run(str(binaries / "python"), "-c", code).split() == sorted(said["memoranda.readers"])


PLATFORMS = {
    "Linux x86-64": [f"manylinux_2_{n}_x86_64" for n in (12, 17, 27, 28)] + ["manylinux2014_x86_64"],
    "Linux aarch64": [f"manylinux_2_{n}_aarch64" for n in (17, 27, 28)] + ["manylinux2014_aarch64"],
    "macOS arm64": [f"macosx_{n}_0_arm64" for n in range(11, 16)],
    "macOS x86-64": [f"macosx_10_{n}_x86_64" for n in range(9, 16)] + [f"macosx_{n}_0_x86_64" for n in range(11, 16)],
    "Windows x86-64": ["win_amd64"],
}


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_c27_the_base_install_is_wheels_alone_everywhere(platform: str, version: str, tmp_path: Path) -> None:
    """Asks the package registry, and builds nothing: a dependency without a wheel for a platform is found here.

    Markers of requirements are those of the machine that asks, so the one that leaves a library out where there is no
    wheel for it is applied by hand.
    """
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    without = (platform, version) == ("macOS x86-64", "3.14")
    names = [one.partition(";")[0].strip() for one in wanted if not (without and ";" in one)]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--no-input"]
    command += ["--only-binary=:all:", "--python-version", version, "--target", str(tmp_path)]
    for tag in PLATFORMS[platform]:
        command += ["--platform", tag]
    done = subprocess.run([*command, *names], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
