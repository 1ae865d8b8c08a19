"""An agent's host with the official MCP client, driven line by line.

    host.py stdio MODE NAME PROGRAM         the environment goes on to the program
    host.py http MODE NAME URL [KEY]

MODE is how the client begins: legacy (the handshake of 2025) or auto (the protocol of 2026). NAME is what the host
calls itself. Each line on stdin is a JSON object with an `id` and what to `do`; each line on stdout answers one.
"""

import json
import os
import sys

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation


def say(**line):
    print(json.dumps(line), flush=True)


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Host:
    def __init__(self, client):
        self.client = client
        self.calls = {}

    async def do(self, line):
        number, what = line["id"], line["do"]
        try:
            if what == "hello":
                server = self.client.server_info
                say(id=number, protocol=self.client.protocol_version, name=server and server.name,
                    instructions=self.client.instructions)
            elif what == "list":
                say(id=number, **plain(await self.client.list_tools()))
            elif what == "call":
                await self.call(number, line)
            elif what == "cancel":
                self.calls[line["of"]].cancel()
                say(id=number)
        except MCPError as error:
            say(id=number, error=error.error.message, code=error.error.code)

    async def call(self, number, line):
        heard = []

        async def on_progress(progress, total, message):
            heard.append([progress, total, message])

        with anyio.CancelScope() as scope:
            self.calls[number] = scope
            result = await self.client.call_tool(
                line["tool"], line["arguments"], progress_callback=on_progress if line["progress"] else None
            )
            say(id=number, progress=heard, **plain(result))
        if scope.cancelled_caught:
            say(id=number, given_up=True)


async def serve(server, mode, name):
    async with Client(server, mode=mode, client_info=Implementation(name=name, version="1")) as client:
        host = Host(client)
        async with anyio.create_task_group() as tasks:
            async for line in anyio.wrap_file(sys.stdin):
                tasks.start_soon(host.do, json.loads(line))
            tasks.cancel_scope.cancel()


async def main():
    way, mode, name, where, *key = sys.argv[1:]
    if way == "stdio":
        program = StdioServerParameters(command=where, args=["mcp"], env=dict(os.environ))
        await serve(program, mode, name)
        return
    headers = {"Authorization": f"Bearer {key[0]}"} if key else {}
    async with httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(30, read=300), trust_env=False) as http:
        await serve(streamable_http_client(where, http_client=http), mode, name)


try:
    anyio.run(main)
except BaseExceptionGroup as group:
    error = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1)
