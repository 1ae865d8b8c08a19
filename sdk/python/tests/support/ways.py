"""Each way through a gate, as one function: it leaves a line in a file if, and only if, the gate let it run."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio

import impri
from impri import AsyncImpriClient, ImpriClient

PREVIEW = {"format": "plain", "body": "b"}

# Key, address, the settings of the client, kind of the action, the file.
Way = Callable[[str, str, dict[str, Any], str, Path], None]


def leave(mark: Path) -> None:
    with mark.open("a") as file:
        file.write("ran\n")


def runs(mark: Path) -> int:
    return mark.read_text().count("ran") if mark.exists() else 0


def block(key: str, url: str, settings: dict[str, Any], kind: str, mark: Path) -> None:
    with ImpriClient(key, base_url=url, **settings) as client, client.gate(kind, "t", PREVIEW):
        leave(mark)


def _async_block(backend: str) -> Way:
    def way(key: str, url: str, settings: dict[str, Any], kind: str, mark: Path) -> None:
        async def main() -> None:
            async with AsyncImpriClient(key, base_url=url, **settings) as client, client.gate(kind, "t", PREVIEW):
                leave(mark)

        anyio.run(main, backend=backend)

    return way


def approval_gate(key: str, url: str, settings: dict[str, Any], kind: str, mark: Path) -> None:
    with (
        ImpriClient(key, base_url=url, **settings) as client,
        client.approval_gate(kind=kind, title="t", preview=PREVIEW) as approved,
    ):
        assert approved.final_preview["body"] == "b"
        leave(mark)


def requires_approval(key: str, url: str, settings: dict[str, Any], kind: str, mark: Path) -> None:
    with ImpriClient(key, base_url=url, **settings) as client:

        @client.requires_approval(kind=kind, title=lambda path: f"Leave {path}")
        def run(path: str) -> None:
            leave(Path(path))

        run(str(mark))


def decorated(key: str, url: str, settings: dict[str, Any], kind: str, mark: Path) -> None:
    with ImpriClient(key, base_url=url, **settings) as client:

        @impri.gate(kind=kind, title="Leave {path}", client=client)
        def run(path: str) -> str:
            leave(Path(path))
            return path

        assert run(str(mark)) == str(mark)


def decorated_async(key: str, url: str, settings: dict[str, Any], kind: str, mark: Path) -> None:
    async def main() -> None:
        async with AsyncImpriClient(key, base_url=url, **settings) as client:

            @impri.gate(kind=kind, title="Leave {path}", client=client)
            async def run(path: str) -> str:
                leave(Path(path))
                return path

            assert await run(str(mark)) == str(mark)

    asyncio.run(main())


def shell(key: str, url: str, settings: dict[str, Any], kind: str, mark: Path) -> None:
    with ImpriClient(key, base_url=url, **settings) as client:
        client.gated_shell(_command(mark), "to leave a mark", kind=kind)


def shell_async(key: str, url: str, settings: dict[str, Any], kind: str, mark: Path) -> None:
    async def main() -> None:
        async with AsyncImpriClient(key, base_url=url, **settings) as client:
            await client.gated_shell(_command(mark), "to leave a mark", kind=kind)

    asyncio.run(main())


def _command(mark: Path) -> str:
    return f"echo ran >> {shlex.quote(str(mark))}"


WAYS: dict[str, Any] = {
    "block": block,
    "block, asyncio": _async_block("asyncio"),
    "block, trio": _async_block("trio"),
    "approval_gate": approval_gate,
    "requires_approval": requires_approval,
    "decorator": decorated,
    "decorator, async": decorated_async,
    "shell": shell,
    "shell, async": shell_async,
}
