"""A database for one server: new in the PostgreSQL that IMPRI_TEST_DATABASE_URL names, or the server's own."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pg8000.native  # type: ignore[import-untyped]


class Database:
    """Made and removed by the tests. SQL is for what would need days to pass, and only for that."""

    def __init__(self) -> None:
        self._admin = os.environ.get("IMPRI_TEST_DATABASE_URL")
        self._name = f"impri_sdk_{os.getpid()}_{secrets.token_hex(4)}"
        self._folder = ""
        if self._admin:
            _run(_where(self._admin), f"create database {self._name}")
            self.environment = {"DATABASE_URL": urlsplit(self._admin)._replace(path=f"/{self._name}").geturl()}
        else:
            # Not the usual folder for temporary files: a socket's path has to be short.
            self._folder = tempfile.mkdtemp(prefix="impri-sdk-", dir="/tmp")
            self.environment = {"IMPRI_DATA_DIR": self._folder}

    def sql(self, statement: str) -> list[Any]:
        if self._admin:
            return _run(_where(self.environment["DATABASE_URL"]), statement)
        (socket,) = Path(self._folder, "postgres/run").glob(".s.PGSQL.*[0-9]")
        return _run({"user": "impri", "database": "impri", "unix_sock": str(socket)}, statement)

    def drop(self) -> None:
        if self._admin:
            _run(_where(self._admin), f"drop database if exists {self._name} with (force)")
        else:
            shutil.rmtree(self._folder, ignore_errors=True)


def _where(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    return {
        "user": unquote(parts.username or "postgres"),
        "password": unquote(parts.password) if parts.password else None,
        "host": parts.hostname or "127.0.0.1",
        "port": parts.port or 5432,
        "database": parts.path.lstrip("/"),
    }


def _run(where: dict[str, Any], statement: str) -> list[Any]:
    connection = pg8000.native.Connection(**where)
    try:
        rows: list[Any] = connection.run(statement)
    finally:
        connection.close()
    return rows
