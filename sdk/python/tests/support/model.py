"""A language model with a script: an OpenAI-compatible endpoint that calls one function and then ends."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model:
    """Says a call of `function` first, and the word that ends a conversation once it was answered."""

    def __init__(self, function: str, arguments: dict[str, Any]) -> None:
        self.asked: list[dict[str, Any]] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked.append(request)
                answer = json.dumps(_complete(request, function, arguments)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def told(self) -> list[str]:
        """What the function returned to it."""
        results = [each for each in self.asked[-1]["messages"] if each["role"] == "tool"]
        return [_text(each["content"]) for each in results]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return str(content)


def _complete(request: dict[str, Any], function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "TERMINATE"}
    reason = "stop"
    if not any(each["role"] == "tool" for each in request["messages"]):
        called = {"name": function, "arguments": json.dumps(arguments)}
        message = {"role": "assistant", "content": None}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": called}]
        reason = "tool_calls"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
