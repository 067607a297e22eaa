# SPDX-License-Identifier: MIT
"""Who may read and who may add; what is not a recording stays out."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bootlab.cli.__main__ import app
from bootlab.errors import UserError
from bootlab.history.database import is_made
from bootlab.web import incoming
from bootlab.web.access import is_loopback, read_token
from tests.history.test_late_uploads import recorded
from tests.web.conftest import RECORDINGS, TOKEN, Serve, basic, packed


def test_without_a_token_nothing_can_be_added(serve: Serve, history_url: str) -> None:
    server = serve(history_url)
    status, said = server.post(packed(RECORDINGS[0]), Authorization=f"Bearer {TOKEN}")
    assert status == 403
    assert "read-only" in said["error"]
    assert not is_made(history_url)


def test_an_upload_that_is_sent_again_is_one_boot(serve: Serve, tmp_path: Path) -> None:
    """A retry of curl doubled a board's boot."""
    server = serve(token=TOKEN)
    body = packed(Path(recorded(tmp_path / "boot").path or ""))
    answers = [server.post(body, Authorization=f"Bearer {TOKEN}")[1] for _ in range(2)]
    assert [answer["added"] for answer in answers] == [1, 0]


def test_a_wrong_token_adds_nothing(serve: Serve, tmp_path: Path) -> None:
    """A password that a browser sends by itself is none for a write, though it is the right one."""
    server = serve(token=TOKEN)
    body = packed(RECORDINGS[0])
    wrong = ["Bearer", "Bearer wrong", f"Bearer {TOKEN}x", f"bearer  {TOKEN[:-1]}", basic(TOKEN), TOKEN, "Bearer \xe9"]
    for headers in ({}, *({"Authorization": header} for header in wrong)):
        status, _ = server.post(body, **headers)
        assert status == 401, headers
        assert not (tmp_path / "store").exists(), headers


def test_no_page_takes_anything(serve: Serve) -> None:
    server = serve(token=TOKEN)
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert server.ask("/system?name=demo", method)[0] == 401, method
        # To remove something takes another role.
        wanted = 403 if method == "DELETE" else 405
        assert server.ask("/system?name=demo", method, Authorization=f"Bearer {TOKEN}")[0] == wanted, method


def test_from_another_address_reading_needs_the_token(serve: Serve, filled: str) -> None:
    server = serve(filled, token=TOKEN, open_reading=False)
    status, text, headers = server.ask("/system?name=demo")
    assert status == 401
    assert headers["www-authenticate"].startswith("Basic")
    assert "demo" not in text
    for wrong in (basic("wrong"), basic(""), "Basic !!!", "Basic /w==", "Bearer wrong", "Bearer"):
        assert server.ask("/", Authorization=wrong)[0] == 401
    for right in (basic(TOKEN), f"Bearer {TOKEN}"):
        assert server.ask("/system?name=demo", Authorization=right)[0] == 200


def test_a_name_that_leads_here_is_not_enough_and_this_machines_own_are(serve: Serve) -> None:
    server = serve()
    for host in ("evil.example", "127.0.0.1.evil.example:80", "", "[::1", "10.0.0.1:8093"):
        assert server.ask("/", Host=host)[0] == 400, host
    for host in ("localhost", "localhost:99", "127.0.0.1", "[::1]:8093"):
        assert server.ask("/", Host=host)[0] == 200, host


def archive(*members: tuple[str, bytes | None]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as made:
        for name, body in members:
            head = tarfile.TarInfo(name)
            if body is None:
                head.type, head.linkname = tarfile.SYMTYPE, "/etc/passwd"
            head.size = len(body or b"")
            made.addfile(head, io.BytesIO(body or b""))
    return buffer.getvalue()


def whole() -> list[tuple[str, bytes | None]]:
    return [(path.name, path.read_bytes()) for path in sorted(RECORDINGS[0].iterdir())]


def test_a_whole_recording_is_taken(serve: Serve) -> None:
    status, answer = serve(token=TOKEN).post(archive(*whole()), Authorization=f"Bearer {TOKEN}")
    assert (status, answer["added"]) == (201, 1)


def altered() -> bytes:
    files = [(path.name, path.read_bytes()) for path in sorted(RECORDINGS[0].iterdir())]
    return archive(*((name, body[:-9] if name.startswith("console") else body) for name, body in files))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not an archive"),
        (b"not a tar", "not an archive"),
        (packed(RECORDINGS[0])[:400], "not an archive"),
        (archive(("../../../../tmp/bootlab-escaped", b"x")), "no part of a recording"),
        (archive(*whole(), ("more.txt", b"x")), "'more.txt', which is no part of the recording"),
        (archive(*whole(), ("inner/console.log", b"x")), "no part of a recording"),
        (archive(*whole(), ("recording.json", b"x")), "no part of a recording"),
        (archive(*whole(), ("link", None)), "no part of a recording"),
        (archive(("recording.json", None)), "recording"),
        (archive(("recording.json", b"{}")), "recording"),
        (archive(*((f"f{n}", b"") for n in range(70))), "64 files"),
        (altered(), "damaged"),
    ],
    ids=[
        "empty",
        "text",
        "cut off",
        "another folder",
        "one more",
        "a folder",
        "a name twice",
        "a link more",
        "link",
        "no recording",
        "many files",
        "altered",
    ],
)
def test_what_is_no_recording_is_refused(serve: Serve, tmp_path: Path, body: bytes, said: str) -> None:
    server = serve(f"sqlite:///{tmp_path / 'history.db'}", token=TOKEN)
    status, answer = server.post(body, Authorization=f"Bearer {TOKEN}")
    assert status == 400
    assert said in answer["error"]
    assert not Path("/tmp/bootlab-escaped").exists()
    assert server.ask("/")[0] == 200


def test_what_is_too_large_is_refused(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(f"sqlite:///{tmp_path / 'history.db'}", token=TOKEN)
    small = packed(RECORDINGS[0])
    monkeypatch.setattr(incoming, "MOST_UNPACKED_BYTES", 1000)
    status, answer = server.post(small, Authorization=f"Bearer {TOKEN}")
    assert (status, "unpacks to more" in answer["error"]) == (400, True)
    monkeypatch.setattr(incoming, "MOST_BYTES", 1000)
    status, answer = server.post(small, Authorization=f"Bearer {TOKEN}")
    assert (status, "is larger" in answer["error"]) == (400, True)


def test_a_boot_needs_a_system_and_a_revision(serve: Serve, tmp_path: Path) -> None:
    server = serve(f"sqlite:///{tmp_path / 'history.db'}", token=TOKEN)
    body = packed(RECORDINGS[0])
    for asked in ("", "?system=board", "?revision=v1", "?system=%20&revision=v1"):
        status, answer = server.post(body, asked, Authorization=f"Bearer {TOKEN}")
        assert status == 400, asked
        assert answer["error"].startswith("which "), asked


def test_tokens_that_are_none(tmp_path: Path) -> None:
    file = tmp_path / "token"
    for text, said in (("short", "16 letters"), ("a" * 20 + " b", "one word"), ("", "one word")):
        file.write_text(text, encoding="ascii")
        with pytest.raises(UserError, match=said):
            read_token(file)
    file.write_text(TOKEN + "\n", encoding="ascii")
    file.chmod(0o644)
    with pytest.raises(UserError, match="other users"):
        read_token(file)
    file.chmod(0o600)
    assert read_token(file) == TOKEN
    with pytest.raises(UserError, match="cannot read"):
        read_token(tmp_path / "none")


def test_what_is_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "localhost.evil.example", "")))


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "bootlab.cli", "serve", *words]


@pytest.mark.slow
def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("--port", "0", "--store", str(tmp_path / "store")), stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    try:
        assert process.stderr is not None
        address, _, how = process.stderr.readline().partition(" ")
        assert how == "(read-only; Ctrl-C ends it)\n"
        with urllib.request.urlopen(address, timeout=300) as answer:
            assert b"Nothing is kept yet" in answer.read()
        port = address.rpartition(":")[2].strip("/")
        second = subprocess.run(command("--port", port), capture_output=True, text=True, cwd=tmp_path, check=False)
        assert second.returncode == 3
        assert "cannot listen" in second.stderr
        process.send_signal(signal.SIGINT)
        assert process.wait(300) == 0
    finally:
        process.kill()
        process.communicate()
    assert list(tmp_path.iterdir()) == []


def test_another_address_without_a_token_is_refused(tmp_path: Path) -> None:
    words = ["serve", "--host", "0.0.0.0", "--store", str(tmp_path / "store")]
    with pytest.raises(UserError, match="reading needs a token"):
        CliRunner().invoke(app, words, catch_exceptions=False)
