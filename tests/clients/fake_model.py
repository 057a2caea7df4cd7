"""A language model of nobody's, on loopback: it calls our recall tool once, and then says that it is done.

It speaks as much of four providers' interfaces as the agents' own programs ask for (Anthropic messages, OpenAI
responses and chat completions, Gemini generateContent), keeps every request, and knows nothing.
"""

from __future__ import annotations

import json
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Iterator

DONE = "All done, said the model."
Event = tuple[str, Any]


class FakeModel:
    """Serves until closed. `requests` are the bodies it got, in order, with their path under `_path`."""

    def __init__(self, question: str, tool: str = "recall") -> None:
        self.question, self.tool = question, tool
        self.requests: list[dict[str, Any]] = []
        self._lock = Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                return

            def do_GET(self) -> None:
                self._json({"data": [], "models": [], "object": "list"})

            do_HEAD = do_GET

            def do_POST(self) -> None:
                body = self._body()
                with model._lock:
                    model.requests.append({**body, "_path": self.path})
                    number = len(model.requests)
                answer = model.answer(self.path, body, number)
                if isinstance(answer, dict):
                    self._json(answer)
                else:
                    self._stream(answer)

            def _body(self) -> dict[str, Any]:
                length = self.headers.get("content-length")
                raw = self.rfile.read(int(length)) if length is not None else b"".join(self._chunks())
                if self.headers.get("content-encoding") == "zstd":
                    raw = subprocess.run(["zstd", "-dc"], input=raw, capture_output=True, check=True).stdout
                try:
                    found = json.loads(raw or b"{}")
                except ValueError:
                    return {}
                return found if isinstance(found, dict) else {}

            def _chunks(self) -> Iterator[bytes]:
                while size := int(self.rfile.readline().strip() or b"0", 16):
                    yield self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()

            def _json(self, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def _stream(self, events: list[Event]) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                for name, value in events:
                    text = value if isinstance(value, str) else json.dumps(value)
                    self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode())
                self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> FakeModel:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def heard(self) -> str:
        """Everything that any request held, as text."""
        return "\n".join(json.dumps(request, ensure_ascii=False) for request in self.requests)

    # -- what it answers

    def answer(self, path: str, body: dict[str, Any], number: int) -> dict[str, Any] | list[Event]:
        if "/v1/messages" in path:
            return {"input_tokens": 10} if "count_tokens" in path else self._messages(body, number)
        if path.endswith("/responses"):
            return self._responses(body, number)
        if path.endswith("/chat/completions"):
            return self._chat(body, number)
        if "enerateContent" in path:
            return self._gemini(path, body)
        return {"totalTokens": 10}

    def _ours(self, names: list[str]) -> str:
        return next((name for name in names if name and name.endswith(self.tool) and "memoranda" in name), "")

    def _arguments(self) -> dict[str, str]:
        return {"text": self.question}

    def _messages(self, body: dict[str, Any], number: int) -> dict[str, Any] | list[Event]:
        names = [str(tool.get("name")) for tool in body.get("tools") or []]
        used = [
            block.get("name", "")
            for message in body.get("messages", [])
            if isinstance(message.get("content"), list)
            for block in message["content"]
            if block.get("type") == "tool_use"
        ]
        ours = self._ours(names)
        call: tuple[str, dict[str, Any]] | None = None
        if ours and ours not in used:
            call = (ours, self._arguments())
        elif not ours and "ToolSearch" in names and "ToolSearch" not in used:
            call = ("ToolSearch", {"query": f"select:mcp__memoranda__{self.tool}", "max_results": 5})
        message: dict[str, Any] = {
            "id": f"msg_{number:024d}", "type": "message", "role": "assistant", "model": body.get("model"),
            "content": [], "stop_reason": None, "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 1},
        }  # fmt: skip
        if not body.get("stream"):
            return {**message, "content": [{"type": "text", "text": DONE}], "stop_reason": "end_turn"}
        if call:
            block = {"type": "tool_use", "id": f"toolu_{number:024d}", "name": call[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        else:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": DONE}
        end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        events = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]
        return [(event["type"], event) for event in events]

    def _responses(self, body: dict[str, Any], number: int) -> list[Event]:
        items = [item for item in body.get("input", []) if isinstance(item, dict)]
        done = any(item.get("type") == "function_call_output" for item in items)
        spaces: dict[str, str] = {}
        searched = [item for item in items if item.get("type") == "tool_search_output"]
        offered = [*body.get("tools", []), *(tool for item in searched for tool in item.get("tools", []))]
        for tool in offered:
            for inner in tool.get("tools", []) if tool.get("type") == "namespace" else ():
                if "memoranda" in tool["name"] and inner.get("name") == self.tool:
                    spaces[inner["name"]] = tool["name"]
        ours = self._ours([str(tool.get("name")) for tool in offered]) or next(iter(spaces), "")
        if not ours and not searched and any(tool.get("type") == "tool_search" for tool in offered):
            query = {"query": "memoranda recall past sessions memory", "limit": 5}
            item = {"type": "tool_search_call", "id": f"ts_{number}", "call_id": f"tsc_{number}", "execution": "client"}
            item |= {"status": "completed", "arguments": query}
        elif ours and not done:
            item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": ours}
            item |= {"arguments": json.dumps(self._arguments())}
            item |= {"namespace": spaces[ours]} if ours in spaces else {}
        else:
            item = {"type": "message", "role": "assistant", "id": f"msg_{number}"}
            item |= {"content": [{"type": "output_text", "text": DONE}]}
        usage = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5}
        usage |= {"output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}
        events = [
            {"type": "response.created", "response": {"id": f"resp_{number}"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": f"resp_{number}", "usage": usage}},
        ]
        return [(event["type"], event) for event in events]

    def _chat(self, body: dict[str, Any], number: int) -> dict[str, Any] | list[Event]:
        names = [str(tool.get("function", {}).get("name")) for tool in body.get("tools") or []]
        answers = sum(1 for message in body.get("messages", []) if message.get("role") == "tool")
        ours = self._ours(names)
        call: tuple[str, dict[str, Any]] | None = None
        if ours and not answers:
            call = (ours, self._arguments())
        elif not ours and "tool_search" in names and answers < 2:
            bridged = {"name": f"mcp__memoranda__{self.tool}", "arguments": self._arguments()}
            call = ("tool_call", bridged) if answers else ("tool_search", {"query": "memoranda recall past sessions"})
        if not body.get("stream"):
            message = {"role": "assistant", "content": DONE}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            return {
                "id": f"c{number}",
                "object": "chat.completion",
                "model": body.get("model"),
                "choices": [choice],
                "usage": usage,
            }

        def chunk(delta: dict[str, Any], end: str | None = None) -> Event:
            choice = {"index": 0, "delta": delta, "finish_reason": end}
            return "", {
                "id": f"c{number}",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": body.get("model"),
                "choices": [choice],
            }

        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            made = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            return [chunk({"role": "assistant", "tool_calls": [made]}), chunk({}, "tool_calls"), ("", "[DONE]")]
        return [chunk({"role": "assistant", "content": DONE}), chunk({}, "stop"), ("", "[DONE]")]

    def _gemini(self, path: str, body: dict[str, Any]) -> dict[str, Any] | list[Event]:
        names = [
            str(function.get("name"))
            for tool in body.get("tools") or []
            for function in tool.get("functionDeclarations", [])
        ]
        done = any(
            "functionResponse" in part for content in body.get("contents", []) for part in content.get("parts", [])
        )
        ours = self._ours(names)
        part: dict[str, Any] = {"text": DONE}
        if ours and not done:
            part = {"functionCall": {"name": ours, "args": self._arguments()}}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        answer = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake"}
        if "countTokens" in path:
            return {"totalTokens": 10}
        return [("", answer)] if "stream" in path else answer
