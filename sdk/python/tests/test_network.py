"""What is sent again and what is not, and what is made of answers that are no success."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from impri import (
    ImpriApiError,
    ImpriClient,
    ImpriConflict,
    ImpriConnectionError,
    ImpriExpired,
    ImpriHttpError,
    ImpriNotFound,
    ImpriProtocolError,
    ImpriQuotaExceeded,
    ImpriRateLimited,
    ImpriUnauthorized,
    ImpriValidationError,
)

from .conftest import Make
from .support import broken as answers
from .support.broken import Broken

Start = Callable[..., Broken]
ACTION = {"id": "act_1", "status": "pending"}
PREVIEW = {"format": "plain", "body": "b"}


def propose(client: Any, **more: Any) -> Any:
    return client.create_action("k", "t", PREVIEW, **more)


def test_a_proposal_is_sent_again_word_for_word(make: Make, broken: Start) -> None:
    there = broken(
        answers.hang_up,
        answers.raw("502 Bad Gateway", b"<html></html>"),
        answers.raw("201 Created", b'{"id": "act_1", "sta'),
        answers.raw("503 Service Unavailable", b"", "Retry-After: 1"),
        answers.of_json(ACTION, "201 Created"),
    )
    assert propose(make("im_a", there.url), payload={"ü": 1.0}).id == "act_1"
    assert len({asked.body for asked in there.asked}) == 1
    sent = there.asked[0].json
    assert sent["idempotency_key"].startswith("sdk_")
    assert sent["payload"] == {"ü": 1.0}
    assert "expires_in" not in sent
    assert there.asked[0].headers["authorization"] == "Bearer im_a"
    assert there.asked[0].headers["content-type"] == "application/json"


def test_the_automatic_key_covers_the_whole_content(broken: Start) -> None:
    there = broken(answers.of_json(ACTION, "201 Created"))
    with ImpriClient("im_a", base_url=there.url) as client:
        propose(client)
        propose(client)
        for more in (
            {"payload": {"a": 1}},
            {"target_url": "https://example.org/"},
            {"editable": ["title"]},
            {"undo": "u"},
            {"callback_url": "https://example.org/"},
            {"valid_for": 60},
            {"expires_in": 600},
            {"idempotent": False},
        ):
            propose(client, **more)
    contents, fresh = zip(*(asked.json["idempotency_key"].rsplit("_", 1) for asked in there.asked), strict=True)
    assert contents[0] == contents[1]
    assert len(set(contents)) == 9
    assert len(set(fresh)) == 10


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("decide", ("act_1", "approve")),
        ("bulk_decide", (["act_1"], "approve")),
        ("create_key", ("k", ["actions"])),
        ("revoke_key", ("key_1",)),
        ("rotate_webhook_secret", ()),
        ("erase_project_data", ()),
        ("create_notification_channel", ("n", "email", {})),
        ("test_notification_channel", ("ch_1",)),
        ("delete_notification_channel", ("ch_1",)),
        ("create_watcher", ("n", "rss", {}, {})),
        ("create_watcher_from_preset", ("p",)),
        ("delete_watcher", ("w",)),
    ],
)
def test_what_may_have_happened_is_not_done_again(
    make: Make, broken: Start, call: str, arguments: tuple[Any, ...]
) -> None:
    for answer in (answers.hang_up, answers.raw("502 Bad Gateway", b""), answers.raw("200 OK", b"{")):
        there = broken(answer)
        with pytest.raises((ImpriConnectionError, ImpriApiError, ImpriProtocolError)) as failed:
            getattr(make("im_a", there.url, retry_for_s=2), call)(*arguments)
        assert len(there.asked) == 1
        if answer is answers.hang_up:
            assert "is unknown" in str(failed.value)


def test_what_the_server_refused_for_being_too_much_is_sent_again(make: Make, broken: Start) -> None:
    there = broken(
        answers.of_json({"retry_after": 0}, "429 Too Many Requests"),
        answers.of_json({"id": "act_1", "status": "approved"}),
    )
    assert make("im_a", there.url).decide("act_1", "approve").status == "approved"
    there = broken(answers.of_json({"message": "slowly", "retry_after": 900}, "429 Too Many Requests"))
    began = time.monotonic()
    with pytest.raises(ImpriRateLimited, match="slowly") as limited:
        propose(make("im_a", there.url))
    assert limited.value.retry_after == 900
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("status", "body", "expected", "members"),
    [
        (
            400,
            {"message": "m", "issues": [{"path": ["title"]}]},
            ImpriValidationError,
            {"issues": [{"path": ["title"]}]},
        ),
        (422, {"message": "m"}, ImpriValidationError, {"issues": []}),
        (401, {"error": "m"}, ImpriUnauthorized, {"status_code": 401}),
        (403, {"message": "m", "error": "e"}, ImpriUnauthorized, {"status_code": 403}),
        (402, {"message": "m", "limit": 100, "tier": "free"}, ImpriQuotaExceeded, {"limit": 100, "tier": "free"}),
        (404, {"message": "m"}, ImpriNotFound, {}),
        (409, {"message": "m", "current_status": "rejected"}, ImpriConflict, {"current_status": "rejected"}),
        (410, {"message": "m"}, ImpriExpired, {}),
        (418, {"message": "m"}, ImpriApiError, {"status_code": 418}),
        (500, {"message": "m"}, ImpriApiError, {"status_code": 500}),
        (500, ["m"], ImpriApiError, {}),
        (409, {"message": 5, "current_status": 5}, ImpriConflict, {"current_status": None}),
    ],
)
def test_refusals_are_typed(
    make: Make, broken: Start, status: int, body: Any, expected: type[Exception], members: dict[str, Any]
) -> None:
    there = broken(answers.of_json(body, f"{status} X"))
    with pytest.raises(expected) as refused:
        make("im_a", there.url).get_action("act_1")
    assert {name: getattr(refused.value, name) for name in members} == members
    if isinstance(refused.value, ImpriHttpError) and isinstance(body, dict) and body.get("message") == "m":
        assert "m" in str(refused.value)
    assert len(there.asked) == 1


def test_answers_have_a_largest_size(make: Make, broken: Start) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    there = broken(answers.raw("200 OK", bomb, "Content-Encoding: gzip"))
    with pytest.raises(ImpriConnectionError, match="more than"):
        make("im_a", there.url, retry_for_s=0).get_action("act_1")


def test_lists_that_make_no_sense(make: Make, broken: Start) -> None:
    pages: list[Any] = [{}, {"items": {}}, {"items": [1]}, {"items": [], "has_more": True}, {"items": [{"id": 1}]}]
    for page in pages:
        with pytest.raises(ImpriProtocolError):
            make("im_a", broken(answers.of_json(page)).url, retry_for_s=0).list_actions()
    there = broken(answers.of_json({"items": [ACTION], "has_more": True, "next_cursor": "same"}))
    with pytest.raises(ImpriProtocolError, match="same page"):
        list(make("im_a", there.url).iter_actions())
    assert len(there.asked) == 2
    with pytest.raises(ImpriProtocolError):
        make("im_a", broken(answers.of_json({"items": []})).url, outage_s=0.3).await_any(["act_1"], timeout_s=5)


def test_an_export_is_no_page(make: Make, broken: Start) -> None:
    for answer in (
        answers.raw("200 OK", b"<html></html>", "Content-Type: text/html"),
        answers.raw("200 OK", b"\xff\xfe", "Content-Type: text/csv"),
    ):
        with pytest.raises(ImpriProtocolError):
            make("im_a", broken(answer).url, retry_for_s=0).export_audit()


def test_another_transport_can_be_given(broken: Start) -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=json.dumps({"id": "act_1", "status": "pending", "seen": str(request.url)}))

    with ImpriClient("im_a", base_url="https://impri.example", transport=httpx.MockTransport(handle)) as client:
        assert client.get_action("act_1")["seen"] == "https://impri.example/v1/actions/act_1"
