"""Build the programs with musl in glibc's place."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Context, Evidence, Published, Risk
from bootlab.techniques.program import ProgramTechnique, mapped, running


class MuslLibc(ProgramTechnique):
    """A C library of a tenth of the size, whose loader is the library itself."""

    id = "musl-libc"
    title = "musl as C library"
    what = "Builds the programs with musl: linked as they are now, and statically."
    why = "The loader and the C library are one file of some 600 KB; a static program contains some KB of it."
    when_not = (
        "A program needs something that only glibc has: NSS modules, locales, a malloc tuned for many threads, "
        "binary plug-ins."
    )
    cost = "Memory and string functions perform differently; libraries from others must be built with musl too."
    risk = Risk(
        function=("glibc's additions to the standards are missing: NSS, locale data, some GNU functions"),
        runtime=("allocation with many threads, and long string operations, are slower than with glibc"),
    )
    because = "the programs are built with glibc"
    ways = (
        ("as-linked", SetProgramBuild(libc="musl")),
        ("static", SetProgramBuild(libc="musl", link="static")),
    )
    published = (Published("a static hello: 9,084 bytes against 431,140", "ARM", "Bootlin boot-time training"),)
    references = (
        "https://musl.libc.org/about.html",
        "https://wiki.musl-libc.org/functional-differences-from-glibc.html",
    )

    def why_not(self, context: Context) -> str:
        """No for a program whose compiler the user gave: it brings its own C library."""
        own = next((program for program in context.system.programs if program.compiler is not None), None)
        return f"its compiler brings its own C library ({own.compiler}gcc)" if own is not None else ""

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the loader that the programs name, or by glibc's libraries, which are no longer needed."""
        was = [file.path for file in old.files if _of_glibc(file.path)]
        still = [file.path for file in new.files if _of_glibc(file.path)]
        if still:
            return Effect(False, f"the tree still gets {still[0]}")
        if not was:
            # Static before: the sizes are what tells.
            sizes = [sum(file.elf.file_bytes for file in built.programs) for built in (old, new)]
            return Effect(sizes[0] != sizes[1], f"programs: {sizes[0]} -> {sizes[1]} bytes")
        loader = next((file.elf.interpreter for file in new.programs if file.elf.interpreter), None)
        return Effect(True, f"{', '.join(was[:3])} -> {loader or 'no loader'}")

    def seen(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the processes: what they map is musl, or no C library at all."""
        for file in before.recording.programs.files:
            if _of_glibc(file.path) and (line := mapped(after, file.path)):
                return Effect(False, f"a process still has glibc mapped: {line}")
        for file in after.recording.programs.files:
            if "ld-musl-" in file.path and (line := mapped(after, file.path)):
                return Effect(True, f"running: {line}")
        return running(after)


def _of_glibc(path: str) -> bool:
    return path.endswith(("/libc.so.6", "/libm.so.6")) or "/ld-linux" in path
