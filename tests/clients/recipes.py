"""How each agent's own program is started against a model on loopback, alone in a home of its own."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Callable, NamedTuple

ROOT = Path(__file__).parents[2]


def _fetch() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fetch_clients", ROOT / "tools" / "clients" / "fetch.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fetch = _fetch()


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2) + "\n")


class Recipe(NamedTuple):
    """`prepare` writes the settings that the program needs before we connect; `variables` are its environment beside
    HOME and PATH; `words` the arguments of a run that prints one answer, `person` those of a session at a terminal that
    begins with a prompt."""

    prepare: Callable[[Path, Path, str], None]
    variables: Callable[[str], dict[str, str]]
    words: Callable[[str], list[str]]
    person: Callable[[str], list[str]]


def _claude(home: Path, folder: Path, url: str) -> None:
    project = {"hasTrustDialogAccepted": True, "allowedTools": ["mcp__memoranda__recall"]}
    state = {"hasCompletedOnboarding": True, "theme": "dark", "projects": {str(folder): project}}
    state["customApiKeyResponses"] = {"approved": ["x" * 20], "rejected": []}
    write(home / ".claude.json", state)
    write(home / ".claude" / "settings.json", {"permissions": {"allow": ["mcp__memoranda__recall"]}})


def _codex(home: Path, folder: Path, url: str) -> None:
    config = f"""# kept
model = "fake"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"

[projects."{folder}"]
trust_level = "trusted"
"""
    write(home / ".codex" / "config.toml", config)


def _gemini(home: Path, folder: Path, url: str) -> None:
    write(home / ".gemini" / "settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}})


def _opencode(home: Path, folder: Path, url: str) -> None:
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": {"baseURL": f"{url}/v1", "apiKey": "x"}}
    provider["models"] = {"fake": {"name": "fake"}}
    write(
        home / ".config/opencode/opencode.json",
        {"provider": {"fake": provider}, "model": "fake/fake", "autoupdate": False},
    )


def _pi(home: Path, folder: Path, url: str) -> None:
    fake = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "x", "models": [{"id": "fake"}]}
    write(home / ".pi/agent/models.json", {"providers": {"fake": fake}})


def _hermes(home: Path, folder: Path, url: str) -> None:
    lines = ["model:", "  default: fake", "  provider: custom", f"  base_url: {url}/v1", "  api_key: x"]
    write(home / ".hermes/config.yaml", "\n".join(lines) + "\n")


def _cline(home: Path, folder: Path, url: str) -> None:
    program = fetch.program("cline")
    if program is None:
        return
    words = [str(program), "auth", "openai-compatible", "-k", "x", "-m", "m", "-b", f"{url}/v1"]
    env = {"HOME": str(home), "PATH": f"{fetch.node_folder()}{os.pathsep}{os.environ['PATH']}", "TERM": "xterm"}
    subprocess.run(words, env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60)


def _copilot(home: Path, folder: Path, url: str) -> None:
    write(home / ".copilot/config.json", {"trusted_folders": [str(folder)], "trustedFolders": [str(folder)]})


def _nothing(home: Path, folder: Path, url: str) -> None:
    return


RECIPES: dict[str, Recipe] = {
    "claude": Recipe(
        _claude,
        lambda url: {
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "x" * 20, "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
        },
        lambda prompt: ["-p", prompt],
        lambda prompt: [prompt],
    ),
    "codex": Recipe(
        _codex,
        lambda url: {"FAKE_KEY": "x"},
        lambda prompt: [
            "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
            "--dangerously-bypass-hook-trust", prompt,
        ],
        lambda prompt: ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", prompt],
    ),
    "gemini": Recipe(
        _gemini,
        lambda url: {
            "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "x", "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_TELEMETRY_ENABLED": "false",
        },
        lambda prompt: ["-m", "gemini-2.5-flash", "--yolo", "-p", prompt],
        lambda prompt: ["-m", "gemini-2.5-flash", "--yolo", "-i", prompt],
    ),
    "qwen": Recipe(
        _nothing,
        lambda url: {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "x", "OPENAI_MODEL": "fake"},
        lambda prompt: ["--approval-mode", "yolo", "-p", prompt],
        lambda prompt: ["--approval-mode", "yolo", "-i", prompt],
    ),
    "copilot": Recipe(
        _copilot,
        lambda url: {
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_API_KEY": "x", "COPILOT_MODEL": "fake",
            "COPILOT_OFFLINE": "true",
        },
        lambda prompt: ["-p", prompt, "--allow-all-tools"],
        lambda prompt: ["-i", prompt, "--allow-all-tools"],
    ),
    "pi": Recipe(
        _pi,
        lambda url: {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"},
        lambda prompt: ["-p", "--provider", "fake", "--model", "fake", prompt],
        lambda prompt: ["--provider", "fake", "--model", "fake", prompt],
    ),
    "hermes": Recipe(
        _hermes,
        lambda url: {"OPENAI_API_KEY": "x"},
        lambda prompt: ["chat", "-Q", "--yolo", "-q", prompt],
        lambda prompt: [],
    ),
    "cline": Recipe(_cline, lambda url: {}, lambda prompt: [prompt], lambda prompt: ["-i", prompt]),
    "opencode": Recipe(_opencode, lambda url: {}, lambda prompt: ["run", prompt], lambda prompt: ["--prompt", prompt]),
}  # fmt: skip


def environment(agent: str, home: Path, url: str, cache: Path) -> dict[str, str]:
    """The whole environment of a run: nothing of the machine's but the search path."""
    path = os.pathsep.join([str(fetch.node_folder()), os.environ["PATH"]])
    own = {"HOME": str(home), "PATH": path, "TERM": "xterm-256color", "LANG": "C.UTF-8", "NO_PROXY": "127.0.0.1"}
    ours = {"MEMORANDA_CACHE": str(cache), "MEMORANDA_EMBEDDER": ""}
    return {**own, **ours, **RECIPES[agent].variables(url)}
