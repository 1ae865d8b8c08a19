"""A task that is cancelled: while it waits the proposal is withdrawn, while it runs the result is reported."""

from __future__ import annotations

import asyncio
from functools import partial

import anyio
import pytest

from impri import AsyncImpriClient

from .support.person import Person
from .support.server import Server

PREVIEW = {"format": "plain", "body": "b"}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_wait_withdraws(server: Server, person: Person, kind: str, backend: str) -> None:
    async def main() -> None:
        async with AsyncImpriClient(server.agent_key, base_url=server.url) as client:
            with anyio.move_on_after(1.5) as scope:
                async with client.gate(kind, "t", PREVIEW):
                    raise AssertionError
            assert scope.cancelled_caught

    anyio.run(main, backend=backend)
    assert [action.status for action in person.all(kind)] == ["cancelled"]


def test_a_cancelled_task_of_asyncio_withdraws(server: Server, person: Person, kind: str) -> None:
    async def wait() -> None:
        async with AsyncImpriClient(server.agent_key, base_url=server.url) as client, client.gate(kind, "t", PREVIEW):
            raise AssertionError

    async def main() -> None:
        task = asyncio.create_task(wait())
        await asyncio.to_thread(partial(person.find, kind))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert [action.status for action in person.all(kind)] == ["cancelled"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_run_is_reported(server: Server, person: Person, kind: str, backend: str) -> None:
    async def main() -> None:
        async with (
            AsyncImpriClient(server.agent_key, base_url=server.url) as client,
            anyio.create_task_group() as group,
        ):
            group.start_soon(anyio.to_thread.run_sync, partial(person.approve, kind))
            with anyio.CancelScope() as scope:
                async with client.gate(kind, "t", PREVIEW):
                    scope.cancel()
                    await anyio.sleep(1)
                    raise AssertionError

    anyio.run(main, backend=backend)
    (action,) = person.all(kind)
    assert action.status == "execute_failed"
    assert str(person.read(action.id).result_detail).startswith("Cancelled")
