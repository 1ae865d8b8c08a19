"""One real server for the session, and both clients for each test."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from impri import AsyncImpriClient, ImpriClient

from .support.broken import Answer, Broken
from .support.either import Either
from .support.person import Person
from .support.server import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def own_server() -> Iterator[Server]:
    """One that the test may kill."""
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def person(server: Server) -> Iterator[Person]:
    with Person(server) as somebody:
        yield somebody


@pytest.fixture
def kind() -> str:
    """A kind that no other test proposes."""
    return f"test.{secrets.token_hex(6)}"


Make = Callable[..., Either]


@pytest.fixture(params=["blocking", "asyncio", "trio"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Makes clients of one sort; a test that takes this runs with each sort."""
    if request.param == "blocking":
        made: list[ImpriClient] = []

        def blocking(key: str, url: str, **settings: Any) -> Either:
            made.append(ImpriClient(key, base_url=url, **settings))
            return Either(made[-1], None)

        yield blocking
        for client in made:
            client.close()
        return

    with start_blocking_portal(request.param) as portal:
        opened: list[AsyncImpriClient] = []

        def awaited(key: str, url: str, **settings: Any) -> Either:
            async def open_it() -> AsyncImpriClient:
                return AsyncImpriClient(key, base_url=url, **settings)

            opened.append(portal.call(open_it))
            return Either(opened[-1], portal)

        yield awaited
        for each in opened:
            portal.call(each.close)
        # Whatever a failed test left waiting.
        portal.call(portal.stop, True)  # noqa: FBT003 - named so by anyio


@pytest.fixture
def agent(make: Make, server: Server) -> Either:
    """An agent's client: it may propose and run, and not decide."""
    return make(server.agent_key, server.url)


@pytest.fixture
def decider(make: Make, server: Server) -> Either:
    return make(server.decider_key, server.url)


@pytest.fixture
def admin(make: Make, server: Server) -> Either:
    return make(server.admin_key, server.url)


@pytest.fixture
def broken() -> Iterator[Callable[..., Broken]]:
    """Starts servers that answer so."""
    made: list[Broken] = []

    def start(*answers: Answer) -> Broken:
        made.append(Broken(list(answers)))
        return made[-1]

    yield start
    for each in made:
        each.close()
