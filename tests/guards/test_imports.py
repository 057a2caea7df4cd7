"""What may import, start or construct what: read from the source, and from what Python really loads."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Iterator

import pytest

import memoranda
import memoranda_agents

ROOT = Path(memoranda.__file__).parent
AGENTS = Path(memoranda_agents.__file__).parent

# Each takes longer to import than a whole recall by words.
HEAVY = {"numpy", "onnxruntime", "tantivy", "tokenizers", "sqlite3", "kingfisher", "huggingface_hub", "yaml", "asyncio"}
HEAVY |= {"lance", "pyarrow", "obstore"}
NETWORK = {"socket", "ssl", "http", "urllib.request", "ftplib", "smtplib", "asyncio", "socketserver", "xmlrpc"}
NETWORK |= {"requests", "httpx", "httpx2", "aiohttp", "urllib3", "websockets", "grpc", "huggingface_hub", "obstore"}
LANGUAGE_MODELS = {"openai", "anthropic", "litellm", "ollama", "llama_cpp", "transformers", "torch", "vllm", "google"}
# What drives them: an adapter is handed its framework by the caller.
LANGUAGE_MODELS |= {"langgraph", "langchain", "langchain_core", "agents", "pydantic_ai", "llama_index"}
PROCESSES = {"subprocess", "multiprocessing", "pty", "asyncio"}
# Calls of `os` and `asyncio` that start a program without importing one of PROCESSES.
STARTERS = {"system", "popen", "posix_spawn", "posix_spawnp", "fork", "forkpty"}


@cache
def sources() -> dict[str, ast.Module]:
    """Every module of both distributions, by dotted name."""
    found = {}
    for top in (ROOT, AGENTS):
        for path in sorted(top.rglob("*.py")):
            parts = path.relative_to(top.parent).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_bytes(), str(path))
    return found


def imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every dotted name a module imports, at its top or inside a function, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno
            for name in node.names:
                yield f"{node.module}.{name.name}", node.lineno


def offenders(banned: set[str], allowed: set[str]) -> list[str]:
    """`module:line imports name` for each import of a banned name outside the allowed rooms or modules."""
    return sorted(
        {
            f"{module}:{line} imports {name}"
            for module, tree in sources().items()
            if not any(module == room or module.startswith(f"{room}.") for room in allowed)
            for name, line in imports(tree)
            if any(name == ban or name.startswith(f"{ban}.") for ban in banned)
        }
    )


def loaded(code: str) -> set[str]:
    """The modules loaded after `code` ran in a fresh interpreter."""
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules), file=sys.__stdout__)"
    result = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


def light_modules() -> list[str]:
    """All modules but the built-in plug-ins and the contract suites, which may load what they need."""
    names = [module.name for module in pkgutil.walk_packages([str(ROOT)], "memoranda.")]
    return [name for name in names if not name.startswith(("memoranda.builtin.", "memoranda.ports.contracts"))]


@pytest.mark.parametrize("code", ["import memoranda", "import memoranda_agents", "import memoranda.views.cli"])
def test_importing_loads_no_heavy_library(code: str) -> None:
    assert not loaded(code) & HEAVY


def test_the_command_line_starts_without_a_heavy_library() -> None:
    code = "from memoranda.views.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass"
    assert not loaded(code) & HEAVY


def test_no_room_loads_a_heavy_library_when_imported() -> None:
    modules = light_modules()
    assert "memoranda.model.record" in modules
    assert not loaded("\n".join(f"import {name}" for name in modules)) & HEAVY


def test_making_the_plug_ins_of_a_recall_by_words_loads_no_vector_library() -> None:
    names = [name for name in sources() if name.startswith("memoranda.builtin.")]
    assert not loaded("\n".join(f"import {name}" for name in names)) & {"numpy", "onnxruntime", "tokenizers"}


def test_only_screen_makes_a_screened_value() -> None:
    """Invariant 1: a `Screened` is proof that the screeners looked, so nobody else may make one."""
    made = {
        module
        for module, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _called(node.func) == "Screened"
    }
    assert all(module.split(".")[:2] == ["memoranda", "screen"] for module in made), made


def _called(function: ast.expr) -> str:
    """The last name of what is called: `Screened` for Screened(...), outcome.Screened(...), Screened[Turn](...)."""
    if isinstance(function, ast.Subscript):
        return _called(function.value)
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


#: What serves over HTTP, on loopback: it listens, and connects to nobody.
SERVER = {"memoranda.views.http", "memoranda.views.mcp.streams"}


def test_only_truth_starts_programs() -> None:
    # `ask` starts the agent named; an extraction is a child of our own behind fences; the server waits on asyncio,
    # which could start programs.
    allowed = {"memoranda.truth", "memoranda.memory.asking", "memoranda.extract.run", *SERVER}
    assert offenders(PROCESSES, allowed) == []
    calls = {
        f"{module}: {node.func.attr}"
        for module, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "os"
        if node.func.attr in STARTERS or node.func.attr.startswith(("exec", "spawn"))
        if not module.startswith("memoranda.truth")
    }
    assert calls == {"memoranda.views.hooks.worker: posix_spawn"}  # takes in a turn where nobody waits for it


def test_a5_a12_only_the_hub_model_the_places_to_share_at_and_the_server_can_reach_a_network() -> None:
    assert offenders(NETWORK, {"memoranda.builtin.hub_model", "memoranda.builtin.targets", *SERVER}) == []


def test_the_base_install_knows_lance_and_object_stores_in_one_module_each() -> None:
    assert offenders({"lance", "pyarrow", "lancedb"}, {"memoranda.builtin.lance_rows", "memoranda_agents"}) == []
    assert offenders({"obstore", "boto3"}, {"memoranda.builtin.targets.objects"}) == []


def test_a5_nothing_imports_a_language_model() -> None:
    assert offenders(LANGUAGE_MODELS, set()) == []


def test_a5_capture_loads_no_network_library() -> None:
    """Not only what we import ourselves: what the rooms of the write line and the readers bring along."""
    rooms = [name for name in light_modules() if name.split(".")[1] not in ("views", "builtin")]
    readers = [module.name for module in pkgutil.walk_packages([str(AGENTS)], "memoranda_agents.")]
    assert not loaded("\n".join(f"import {name}" for name in rooms + readers)) & NETWORK


def test_the_guards_see_what_they_forbid() -> None:
    """The helpers above on a module that breaks every rule."""
    tree = ast.parse("def f():\n    import subprocess\n    from urllib import request\n    return Screened[Turn](x)")
    assert {name for name, _ in imports(tree)} == {"subprocess", "urllib", "urllib.request"}
    assert [_called(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)] == ["Screened"]
    assert {"sqlite3", "asyncio"} <= loaded("import sqlite3, asyncio")
