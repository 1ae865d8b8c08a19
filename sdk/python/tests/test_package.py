"""The package itself: what it exports, and that it builds and installs without a network."""

from __future__ import annotations

import inspect
import subprocess
import sys
import zipfile
from pathlib import Path

import impri
from impri import AsyncGate, AsyncImpriClient, Gate, ImpriClient

PROJECT = Path(__file__).parents[1]


def public(of: type) -> dict[str, object]:
    return {name: value for name, value in inspect.getmembers(of) if not name.startswith("_")}


def test_both_clients_have_the_same_calls_with_the_same_words() -> None:
    blocking, awaited = public(ImpriClient), public(AsyncImpriClient)
    assert blocking.keys() == awaited.keys()
    for name in blocking:
        one, other = blocking[name], awaited[name]
        assert callable(one)
        assert callable(other)
        assert inspect.getdoc(one), name
        if name != "requires_approval":
            parameters = [list(inspect.signature(each).parameters.values()) for each in (one, other)]
            assert parameters[0] == parameters[1], name
    assert public(Gate).keys() == public(AsyncGate).keys()


def test_the_signatures_can_be_read() -> None:
    signature = inspect.signature(ImpriClient("im_a").create_action)
    assert list(signature.parameters)[:4] == ["kind", "title", "preview", "payload"]
    assert "idempotency_key" in (ImpriClient.create_action.__doc__ or "")


def test_everything_that_is_exported_is_there_and_documented() -> None:
    for name in impri.__all__:
        thing = getattr(impri, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_a_wheel_is_built_and_installs_without_a_network(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    source = tmp_path / "python"
    copy = ["pyproject.toml", "README.md", "LICENSE", "src"]
    source.mkdir()
    for name in copy:
        subprocess.run(["cp", "-R", str(PROJECT / name), str(source / name)], check=True)
    subprocess.run([*run, "wheel", *offline, "--wheel-dir", str(tmp_path), str(source)], check=True)
    (wheel,) = tmp_path.glob("impri-*-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "impri/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any("test" in name for name in names)
    target = tmp_path / "installed"
    subprocess.run([*run, "install", *offline, "--target", str(target), str(wheel)], check=True)
    program = "import impri, importlib.metadata as m; print(impri.__version__, m.version('impri'), impri.__file__)"
    shown = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(target), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    version, stated, where = shown.stdout.split()
    assert version == stated == impri.__version__
    assert where.startswith(str(target))
