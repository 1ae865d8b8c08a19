"""`@impri.gate`: what is passed is shown, what is approved is what the function gets, and how it looks from outside."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import impri
from impri import AsyncImpriClient, ImpriClient, ImpriIntegrityError, ImpriRejected, ImpriTimeout

from .support.person import Person, meanwhile
from .support.server import Server

if TYPE_CHECKING:
    from decimal import Decimal


@pytest.fixture
def client(server: Server) -> Iterator[ImpriClient]:
    with ImpriClient(server.agent_key, base_url=server.url) as opened:
        yield opened


def test_it_runs_with_the_edited_arguments(client: ImpriClient, person: Person, kind: str) -> None:
    ran: list[Any] = []

    @impri.gate(kind, "Pay {amount} to {to}", editable=["amount", "options.note"], idempotent=False, client=client)
    def pay(to: str, amount: int, *rest: str, options: dict[str, Any], urgent: bool = False) -> str:
        ran.append((to, amount, rest, options, urgent))
        return "paid"

    def decide() -> None:
        action = person.approve(kind, payload__amount=25, payload__options__note="rent")
        assert action.title == "Pay 20 to Bo"
        assert action.payload == {
            "to": "Bo",
            "amount": 20,
            "rest": ["a"],
            "options": {"note": "", "n": 1.0},
            "urgent": False,
        }
        assert action.preview.body.splitlines() == [
            "pay(",
            '  to = "Bo",',
            "  amount = 20,",
            '  rest = ["a"],',
            '  options = {"note": "", "n": 1.0},',
            "  urgent = false,",
            ")",
        ]
        assert action.idempotent is False

    with meanwhile(decide):
        assert pay("Bo", 20, "a", options={"note": "", "n": 1.0}) == "paid"
    ((to, amount, rest, options, urgent),) = ran
    assert (to, amount, rest, options, urgent) == ("Bo", 25, ("a",), {"note": "rent", "n": 1.0}, False)
    assert isinstance(options["n"], float)


def test_what_changes_while_it_waits_does_not_count(client: ImpriClient, person: Person, kind: str) -> None:
    files = ["a.txt"]
    removed: list[str] = []

    @impri.gate(kind, "Remove files", client=client)
    def remove(files: list[str]) -> None:
        removed.extend(files)

    def decide() -> None:
        person.find(kind)
        files.append("everything-else.txt")
        person.approve(kind)

    with meanwhile(decide):
        remove(files)
    assert removed == ["a.txt"]


def test_methods_and_excluded_arguments(client: ImpriClient, person: Person, kind: str) -> None:
    class Mailer:
        sent = ""

        @impri.gate(
            kind,
            lambda to, **_: f"Write to {to}",
            exclude=["connection"],
            preview=lambda to, body: f"To *{to}*: {body}",
            target_url="https://example.org/{to}",
            undo=lambda **_: "Write again.",
            client=client,
        )
        def send(self, connection: object, to: str, body: str) -> object:
            self.sent = body
            return connection

    connection = object()
    mailer = Mailer()

    def decide() -> None:
        action = person.approve(kind)
        assert (action.title, action.payload) == ("Write to Bo", {"to": "Bo", "body": "hi"})
        assert action.preview == {"format": "markdown", "body": "To *Bo*: hi"}
        assert (action.target_url, action.undo) == ("https://example.org/Bo", "Write again.")

    with meanwhile(decide):
        assert mailer.send(connection, to="Bo", body="hi") is connection
    assert mailer.sent == "hi"


def test_a_long_title_is_cut_and_the_whole_is_shown(client: ImpriClient, person: Person, kind: str) -> None:
    text = "rm\n -rf" + "x" * 600

    @impri.gate(kind, "Run {command}", client=client)
    def run(command: str) -> int:
        return len(command)

    def decide() -> None:
        action = person.approve(kind)
        assert len(action.title) == 500
        assert action.title.startswith("Run rm -rfxxx")
        assert action.title.endswith("…")
        assert action.payload == {"command": text}

    with meanwhile(decide):
        assert run(text) == len(text)


def test_what_can_not_be_shown_is_not_proposed(client: ImpriClient, server: Server, kind: str) -> None:
    @impri.gate(kind, "t", client=client)
    def run(value: object) -> None:
        raise AssertionError

    for value in (object(), {1: 2}, {1}, float("inf"), 2**60, b"bytes"):
        with pytest.raises(TypeError, match="argument value can't be shown"):
            run(value)
    with pytest.raises(TypeError, match="missing a required argument"):
        run()  # type: ignore[call-arg]
    assert server.count_actions(kind) == 0


def test_what_does_not_fit_is_refused_when_it_is_decorated() -> None:
    async def coroutine() -> None: ...

    def generator() -> Iterator[int]:
        yield 1

    async def async_generator() -> Any:
        yield 1

    def function(a: int) -> None: ...

    refused: list[tuple[Any, Any, dict[str, Any]]] = [
        (generator, "generator", {}),
        (async_generator, "generator", {}),
        (ImpriClient, "no function", {}),
        (5, "no function", {}),
        (function, "no such argument", {"editable": ["b"]}),
        (function, "b: no such argument", {"undo": "Take {b} back, {a}"}),
        (function, "can't be filled", {"undo": "Take {a back"}),
        (function, "no such argument", {"exclude": ["b"]}),
        (function, "no such argument", {"editable": ["a"], "exclude": ["a"]}),
        (function, "lists of names", {"editable": "a"}),
        (function, "needs an ImpriClient", {"client": AsyncImpriClient("im_a")}),
        (coroutine, "needs an AsyncImpriClient", {"client": ImpriClient("im_a")}),
    ]
    for what, message, options in refused:
        with pytest.raises(TypeError, match=message):
            impri.gate("k", "t", **options)(what)


def test_frameworks_see_the_function_and_no_way_around_the_gate() -> None:
    @impri.gate("k", "t")
    def run(command: Annotated[str, "what to run"], times: int = 1) -> str:
        """Runs a command."""
        return command

    async def coroutine(command: str) -> str:
        """Runs a command."""
        return command

    assert (run.__name__, run.__doc__, run.__module__) == ("run", "Runs a command.", __name__)
    signature = inspect.signature(run)
    assert signature.parameters["command"].annotation == Annotated[str, "what to run"]
    assert (signature.parameters["times"].default, signature.return_annotation) == (1, str)
    assert run.__annotations__["times"] is int
    assert inspect.unwrap(run) is run
    assert inspect.iscoroutinefunction(impri.gate("k", "t")(coroutine))


def test_annotations_that_only_a_type_checker_knows_stay_texts() -> None:
    @impri.gate("k", "t")
    def pay(amount: Decimal) -> None: ...

    assert inspect.signature(pay).parameters["amount"].annotation == "Decimal"


def test_without_a_client_the_environment_says_where(
    server: Server, person: Person, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IMPRI_API_KEY", server.agent_key)
    monkeypatch.setenv("IMPRI_BASE_URL", server.url)

    @impri.gate(kind, "Say {word}")
    def say(word: str) -> str:
        return word

    @impri.gate(kind, "Say {word}")
    async def say_later(word: str) -> str:
        return word

    with meanwhile(lambda: person.approve(kind)):
        assert say("one") == "one"
    with meanwhile(lambda: person.approve(kind)):
        assert asyncio.run(say_later("two")) == "two"
    with meanwhile(lambda: person.reject(kind)), pytest.raises(ImpriRejected):
        say("three")


def test_an_exception_of_the_function_is_reported_and_raised(client: ImpriClient, person: Person, kind: str) -> None:
    @impri.gate(kind, "t", client=client)
    def fail() -> None:
        raise ZeroDivisionError("no such luck\0")

    with meanwhile(lambda: person.approve(kind)), pytest.raises(ZeroDivisionError):
        fail()
    (action,) = person.all(kind)
    read = person.read(action.id)
    assert (read.status, read.result_detail) == ("execute_failed", "ZeroDivisionError: no such luck\ufffd")


def test_time_limits_and_keys(client: ImpriClient, person: Person, kind: str) -> None:
    @impri.gate(kind, "t", timeout_s=0.3, client=client)
    def forgotten() -> None:
        raise AssertionError

    with pytest.raises(ImpriTimeout):
        forgotten()
    assert person.all(kind)[0].status == "cancelled", "nobody waits any more"

    @impri.gate(kind, "t", timeout_s=0.3, idempotency_key=kind + ":{number}", client=client)
    def kept(number: int) -> int:
        return number

    with pytest.raises(ImpriTimeout):
        kept(1)
    assert person.all(kind)[0].status == "pending", "another run goes on waiting"
    person.approve(kind)
    assert kept(1) == 1
    assert len(person.all(kind)) == 2


def test_edits_that_nobody_sees_run_nothing(client: ImpriClient, person: Person, kind: str) -> None:
    @client.requires_approval(kind, "t", editable=["payload.amount"], payload={"amount": 20})
    def pay() -> None:
        raise AssertionError

    with (
        meanwhile(lambda: person.approve(kind, payload__amount=25)),
        pytest.raises(ImpriIntegrityError, match="edited"),
    ):
        pay()
    with pytest.raises(TypeError, match="body"):

        @client.requires_approval(kind, "t", editable=["preview.body"])
        def write() -> None: ...
