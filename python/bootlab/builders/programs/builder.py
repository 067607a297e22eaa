# SPDX-License-Identifier: MIT
"""Programs of the root tree out of their sources: built once, kept by the content of everything they are made from."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.dirtree import read_directory
from bootlab.builders.kbuild.build_log import first_error
from bootlab.builders.kbuild.make_run import dies_with_us, end
from bootlab.builders.programs.elf import is_elf
from bootlab.builders.programs.toolchain import Compiler, find
from bootlab.errors import EnvironmentFault, ProgramBuildError, ToolMissing, UserError, cannot_write
from bootlab.model.architecture import Arch
from bootlab.model.program import Program
from bootlab.model.tree import FileTree

_VERSION = 1
"""Raise it when the same program shall be built in another way than before."""

_KEPT = ("PATH", "TMPDIR", "CCACHE_DIR", "CCACHE_DISABLE")
# 1 January 2026, the day of bootlab's kernels too (reproducible-builds.org/specs/source-date-epoch).
_SAME = {"LC_ALL": "C", "TZ": "UTC", "SOURCE_DATE_EPOCH": "1767225600"}
_FACTS = "built.json"
_COMPILE = '$CC $CFLAGS $LDFLAGS -o "$OUT" {files} $LDLIBS'
_SOURCES_MAX = 200_000


class BuiltProgram(msgspec.Struct, frozen=True, kw_only=True):
    """One program's build: the tree that it installed, its log, its compiler."""

    folder: Path
    compiler: Compiler
    reused: bool = False

    @property
    def tree(self) -> FileTree:
        """Everything that it installed, by place in the tree."""
        return read_directory(self.folder / "tree")

    @property
    def log(self) -> Path:
        """What the build said."""
        return self.folder / "build.log"


class ProgramBuilder:
    """Builds programs into a cache. Two builds of the same one wait for each other."""

    def __init__(self, cache: Cache) -> None:
        """Keep what is built in the cache's folder `programs`."""
        self._cache = cache
        self._root = cache.root / "programs"

    def build(self, program: Program, arch: Arch) -> BuiltProgram:
        """Return a program out of the cache, or built.

        Raise ProgramBuildError, ToolMissing, EnvironmentFault, and UserError for a source that is not there.
        """
        compiler = find(arch, program.libc, program.compiler)
        sources = dict(self._sources(program))
        digests = [(name, path.stat().st_mode & 0o111, self._cache.digest(path)) for name, path in sources.items()]
        # Where libraries are searched for changes the tree, not the build.
        asked = msgspec.structs.replace(program, sources=(), library_dirs=(), mode=0o755)
        key = key_of("program", _VERSION, compiler.identity, compiler.files, digests, asked)
        place = self._root / "built" / key
        try:
            with self._locked(key[:16]):
                if (place / _FACTS).is_file():
                    return BuiltProgram(folder=place, compiler=compiler, reused=True)
                self._make(program, compiler, sources, self._root / "work" / key[:16], place)
        except OSError as error:
            raise cannot_write(f"{program.path} cannot be built in {self._root}", error, self._root) from error
        return BuiltProgram(folder=place, compiler=compiler)

    def _sources(self, program: Program) -> Iterator[tuple[str, Path]]:
        """Return the files a build gets: name in its folder, and path. A folder's contents, a file by its name."""
        count = 0
        for source in program.sources:
            path = Path(source)
            if not path.exists():
                raise UserError(f"there is no {path}, a source of {program.path}", hint=f"ls -l {path.parent}")
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if not file.is_file():
                    continue
                count += 1
                if count > _SOURCES_MAX:
                    raise UserError(
                        f"{path} holds more than {_SOURCES_MAX} files", hint="name the folder of this program's sources"
                    )
                yield (str(file.relative_to(path)) if path.is_dir() else file.name), file

    @contextlib.contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        folder = self._root / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _make(self, program: Program, compiler: Compiler, sources: dict[str, Path], work: Path, place: Path) -> None:
        shutil.rmtree(work, ignore_errors=True)
        for name, source in sources.items():
            target = work / "src" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        (work / "src").mkdir(parents=True, exist_ok=True)
        out = work / "tree" / program.path.lstrip("/")
        out.parent.mkdir(parents=True)
        (work / "bin").mkdir()
        for name, text in compiler.files:
            (work / "bin" / name).write_text(text, encoding="utf-8")
            (work / "bin" / name).chmod(0o755)
        environment = self._environment(program, compiler, work, out)
        log = work / "build.log"
        status = _run(command_of(program), work / "src", environment, log)
        if status != 0:
            raise self._failed(program, log, f"its build command ended with {status}")
        if not out.is_file():
            raise self._failed(program, log, f"its build command made no {program.path} (write it to $OUT)")
        if program.strip:
            _strip(work / "tree", compiler, log, environment)
        out.chmod(0o755)
        facts = {"compiler": compiler.version, "libc": compiler.libc, "link": program.link, "path": program.path}
        (work / _FACTS).write_bytes(msgspec.json.format(msgspec.json.encode(facts), indent=1))
        shutil.rmtree(work / "src")
        shutil.rmtree(work / "bin")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(place, ignore_errors=True)
        work.rename(place)

    def _failed(self, program: Program, log: Path, what: str) -> ProgramBuildError | ToolMissing | EnvironmentFault:
        error = first_error(log)
        kept = self._root / "failed" / f"{program.path.strip('/').replace('/', '-')[-80:]}.log"
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(log, kept)
        if error.full_disk:
            return EnvironmentFault(f"the disk is full: {error}", hint=f"make room: df -h {self._root}")
        said = str(error) if log.stat().st_size else ""
        return ProgramBuildError(
            f"{program.path} does not build: {what}{f': {said}' if said else ''}", hint=f"the whole log: {kept}"
        )

    def _environment(self, program: Program, compiler: Compiler, work: Path, out: Path) -> dict[str, str]:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | _SAME
        own_path = f"{work / 'bin'}:{environment.get('PATH', os.defpath)}"
        link = {"shared": (), "static": ("-static",), "static-pie": ("-static-pie",)}[program.link]
        position = ("-fPIE",) if program.link == "static-pie" else ()
        # Neither the cache's place nor the key gets into the program.
        same = f"-ffile-prefix-map={work / 'src'}=."
        tools = {
            name: compiler.tool(tool)
            for name, tool in (("AR", "ar"), ("RANLIB", "ranlib"), ("STRIP", "strip"), ("NM", "nm"), ("LD", "ld"))
        }
        return (
            environment
            | tools
            | {
                "PATH": own_path,
                "HOME": str(work),
                "CC": compiler.name,
                "CROSS_COMPILE": compiler.prefix,
                "HOST": compiler.prefix.rpartition("/")[2].rstrip("-"),
                "ARCH": compiler.arch,
                "LIBC": program.libc,
                "LINK": program.link,
                "CFLAGS": " ".join((same, *program.cflags, *position)),
                "LDFLAGS": " ".join((*program.ldflags, *link)),
                "LDLIBS": " ".join(program.libs),
                "OUT": str(out),
                "DESTDIR": str(work / "tree"),
                "SRC": str(work / "src"),
                "JOBS": str(os.cpu_count() or 1),
            }
            | dict(program.variables)
        )


def command_of(program: Program) -> str:
    """Return the command that builds a program: its own, or one that compiles its C files. Raise UserError."""
    if program.build:
        return program.build
    files = [Path(source).name for source in program.sources if source.endswith((".c", ".S"))]
    if not files:
        raise UserError(
            f"{program.path} has no build command, and no C file among its sources",
            hint='add build = "make install DESTDIR=$DESTDIR", or name C files: sources = ["app.c"]',
        )
    return _COMPILE.format(files=" ".join(shlex.quote(name) for name in files))


def _run(command: str, folder: Path, environment: dict[str, str], log: Path) -> int:
    """Run a shell command with its output in a log; whatever ends the wait (Ctrl-C too) ends its children as well."""
    with log.open("ab") as out:
        out.write(f"$ {command}\n".encode())
        out.flush()
        process = subprocess.Popen(
            dies_with_us(["/bin/sh", "-e", "-c", command]),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait()
        except BaseException:
            end(process)
            raise


def _strip(tree: Path, compiler: Compiler, log: Path, environment: dict[str, str]) -> None:
    for path in sorted(tree.rglob("*")):
        if not path.is_file() or path.is_symlink() or not is_elf(path):
            continue
        with tempfile.TemporaryDirectory(dir=tree.parent) as folder:
            fresh = Path(folder) / "stripped"
            with log.open("ab") as out:
                done = subprocess.run(
                    [compiler.tool("strip"), "-o", str(fresh), str(path)],
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    env=environment,
                    check=False,
                )
            # An object that is no program (a plug-in of another processor) stays as it is.
            if done.returncode == 0:
                mode = path.stat().st_mode
                fresh.replace(path)
                path.chmod(mode)
