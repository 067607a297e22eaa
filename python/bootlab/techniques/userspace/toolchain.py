# SPDX-License-Identifier: MIT
"""What programs are built with and for: static or shared, the C library, the instruction set."""

from __future__ import annotations

from bootlab.model.change import SetProgramBuild
from bootlab.model.program import BuiltPrograms
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Context, Evidence, Published, Risk
from bootlab.techniques.program import ProgramTechnique, Ways, mapped, running, total


class StaticLinking(ProgramTechnique):
    """No loader, no libraries to find, map and relocate."""

    id = "static-linking"
    title = "Static linking"
    what = (
        "Links the programs with `-static`. Another variant uses `-static-pie`, which can be placed anywhere in memory."
    )
    why = "The kernel starts the program directly: no library is searched for, opened, mapped or relocated."
    when_not = "Many programs share the libraries; a program loads plug-ins (dlopen) or looks up users and hosts (NSS)."
    cost = (
        "Every program contains a copy of what it uses of each library. To fix a library, all programs must be "
        "built again."
    )
    risk = Risk(
        function=("with glibc, dlopen and the name service do not work, or still need the shared libraries"),
        runtime="programs do not share the memory of libraries",
    )
    because = "the programs are linked with shared libraries"
    ways = (("static", SetProgramBuild(link="static")), ("static-pie", SetProgramBuild(link="static-pie")))
    published = (Published("-20 ms, root file system -22 %", "BeagleBone Black", "Bootlin boot-time training"),)
    references = ("ld(1): -static", "gcc(1): -static-pie")

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the program header that names a loader: it is gone."""
        was = next((file for file in old.programs if file.elf.interpreter), None)
        if was is None:
            return Effect(False, "the programs named no loader before either (PT_INTERP)")
        still = next((file for file in new.programs if file.elf.interpreter), None)
        if still is not None:
            return Effect(False, f"{still.path} names a loader: {still.elf.interpreter}")
        needed = {name for file in old.own for name in file.elf.needed}
        return Effect(True, f"PT_INTERP {was.elf.interpreter} is gone from {was.path}, with {len(needed)} libraries")

    def seen(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the processes: none still maps the loader."""
        loaders = [file.elf.interpreter for file in before.recording.programs.programs if file.elf.interpreter]
        for loader in loaders:
            if line := mapped(after, loader):
                return Effect(False, f"a process still has the loader mapped: {line}")
        return running(after)


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


class ArmInstructionSet(ProgramTechnique):
    """Thumb-2 is about a quarter smaller; ARM code needs fewer instructions for some work."""

    id = "arm-instruction-set"
    title = "ARM or Thumb-2 code"
    what = "Compiles the programs with `-marm` if they are Thumb-2, or with `-mthumb` if they are ARM."
    why = "Smaller code is read, unpacked and paged in sooner; ARM code may execute fewer instructions."
    when_not = "The processor has no Thumb-2 (before ARMv7), or assembly code is written for one of the two."
    cost = "None; the two can call each other."
    risk = Risk(runtime="only the start is measured: the other code may be slower later on")
    architectures = ("arm",)
    because = "the other instruction set may be smaller or faster"
    ways = (("arm", SetProgramBuild(cflags=("-marm",))), ("thumb", SetProgramBuild(cflags=("-mthumb",))))
    published = (Published("root file system 17.9 -> 14.5 MB, about 2 % faster", "ARM", "Bootlin boot-time training"),)
    references = ("gcc(1): -mthumb", "ELF for the Arm Architecture, 5.5.3")

    def left(self, context: Context) -> Ways:
        """Leave out the one that all functions are in already."""
        thumb, arm = _functions(context.recording.programs)
        done = "thumb" if thumb and thumb > arm else "arm" if arm else ""
        return tuple(way for way in super().left(context) if way[0] != done)

    def shown(self, old: BuiltPrograms, new: BuiltPrograms) -> Effect:
        """Prove it by the functions of the symbol tables: bit 0 of the address tells."""
        was, now = _functions(old), _functions(new)
        text = f"Thumb/ARM functions: {was[0]}/{was[1]} -> {now[0]}/{now[1]}"
        turned = (now[0] > now[1]) != (was[0] > was[1])
        return Effect(turned, text if turned else f"{text}: most are of the same set as before")


def _functions(built: BuiltPrograms) -> tuple[int, int]:
    return total(built, lambda elf: elf.thumb_functions), total(built, lambda elf: elf.arm_functions)


TECHNIQUES = (
    StaticLinking(),
    MuslLibc(),
    ArmInstructionSet(),
)
