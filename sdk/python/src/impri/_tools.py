"""Functions that agent frameworks take as tools: their names, parameters and first lines are what a model reads."""

from __future__ import annotations

from .aio import AsyncImpriClient
from .client import ImpriClient


def gated_shell(command: str, purpose: str) -> str:
    """Run a shell command if a person approves it. Returns what it printed.

    The command has run only if this returns; if it is rejected or expires, this raises.
    """
    with ImpriClient() as client:
        return client.gated_shell(command, purpose)


async def gated_shell_async(command: str, purpose: str) -> str:
    """Run a shell command if a person approves it. Returns what it printed.

    The command has run only if this returns; if it is rejected or expires, this raises.
    """
    async with AsyncImpriClient() as client:
        return await client.gated_shell(command, purpose)
