"""`make model`: fills src/memoranda/builtin/minilm/ with the model that wheels carry. Standard library only.

Steps: leave everything as it is if the files are there and right; fetch the pinned weights; make a build environment
with the pinned tools; convert and compare in it; put the three files in place, model.json last. Interrupted anywhere,
it starts over. `.model-build/` keeps the float32 file too, for the benchmark's comparison.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import source

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / ".model-build"
TARGET = ROOT / "src" / "memoranda" / "builtin" / "minilm"
# What decides the bytes of the result. Another recipe makes another model.json, so `make model` builds anew.
RECIPE = ("requirements.txt", "source.py", "graph.py", "convert.py")


def main() -> None:
    recipe = _recipe()
    if up_to_date(TARGET, recipe):
        print(f"model: {TARGET.relative_to(ROOT)} is complete")
        return
    print("model: fetching the pinned weights")
    files = source.fetch(WORK / "source")
    print("model: preparing the pinned tools")
    python = _environment(WORK / "venv")
    print("model: converting and comparing")
    small = WORK / "model-int8.onnx"
    command = [python, HERE / "convert.py", files.weights, files.tokenizer, WORK / "model-float32.onnx", small]
    result = subprocess.run([str(part) for part in command], check=False, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(result.returncode)
    figures = json.loads(result.stdout.splitlines()[-1])
    _install(small, files.tokenizer, recipe, figures)
    print(f"model: {TARGET.relative_to(ROOT)} is ready, {figures}")


def up_to_date(target: Path, recipe: str) -> bool:
    """Whether the folder holds what this recipe makes, by content."""
    try:
        card = json.loads((target / "model.json").read_bytes())
        files = card["files"].items()
        return card["recipe"] == recipe and all(source.sha256(target / name) == digest for name, digest in files)
    except (OSError, ValueError, KeyError):
        return False


def _recipe() -> str:
    digest = hashlib.sha256()
    for name in RECIPE:
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()


def _environment(folder: Path) -> Path:
    """A virtual environment with the tools of requirements.txt; returns its Python."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*command, "-r", str(HERE / "requirements.txt")], check=False).returncode:
        sys.exit("cannot install the pinned tools from the package registry")
    return python


def _install(model: Path, tokenizer: Path, recipe: str, figures: dict[str, float]) -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "model.json").unlink(missing_ok=True)
    shutil.copyfile(model, TARGET / "model.onnx")
    shutil.copyfile(tokenizer, TARGET / "tokenizer.json")
    card = {
        "name": "all-MiniLM-L6-v2",
        "variant": "int8",
        "dims": 384,
        "window": 256,
        "license": "Apache-2.0",
        "files": {name: source.sha256(TARGET / name) for name in ("model.onnx", "tokenizer.json")},
        "source": {"package": source.PACKAGE, "version": source.VERSION, "files": source.HASHES},
        "compared": figures,
        "recipe": recipe,
    }
    (TARGET / "model.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
