"""Items of a conversation as the OpenAI Agents SDK hands them to a session, one of each sort."""

from __future__ import annotations

from typing import Any

MESSAGE: dict[str, Any] = {"role": "user", "content": "May we deploy?"}
ANSWER = {
    "id": "msg_1",
    "content": [
        {"annotations": [], "text": "On Fridays.", "type": "output_text", "logprobs": []},
        {"refusal": "Not on Sundays.", "type": "refusal"},
    ],
    "role": "assistant",
    "status": "completed",
    "type": "message",
}
CALL = {"arguments": '{"day":"Friday"}', "call_id": "call_1", "name": "deploy", "type": "function_call", "id": "fc_1"}
OUTPUT = {"call_id": "call_1", "output": "deployed to kingfisher", "type": "function_call_output"}
REASONING = {
    "id": "rs_1",
    "summary": [{"text": "Fridays are fine", "type": "summary_text"}],
    "type": "reasoning",
    "encrypted_content": "gAAAAABo" + "Zq3v8Xk1Lm5Rt7Yp2Wn9Bc4Df6Gh0JsA" * 4,
}
SEARCH = {
    "id": "ws_1",
    "action": {"query": "deploy hours", "type": "search"},
    "status": "completed",
    "type": "web_search_call",
}
ITEMS: list[dict[str, Any]] = [MESSAGE, ANSWER, CALL, OUTPUT, REASONING, SEARCH]
