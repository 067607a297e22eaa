"""The shape of a system file as it is written: one struct a table, before paths and patterns are looked at."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from bootlab.model.boot_loader import LoaderPlace, LoaderStart
from bootlab.model.program import Libc, Link
from bootlab.model.root import RootMedium
from bootlab.model.storage import Storage
from bootlab.model.system import CHECK_S, Clockwork, FlashStart, KernelForm, Machine, TargetName
from bootlab.model.tree import Compression


class RawTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the tables: a key that nobody knows is an error."""


class RawMachine(Machine, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[machine]`. Machine type and processor are the architecture's usual ones unless they are given."""

    type: str | None = None  # type: ignore[assignment] # an empty text is a mistake
    cpu: str | None = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Leave open what is left out."""


class RawClock(Clockwork, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[clock]`."""


class RawKernel(RawTable, frozen=True):
    """`[kernel]`. `cmdline` and `application` may stand here or at the top of the file, not in both.

    With `source` the kernel is built: `image` then names a make target, and `config` fragments.
    """

    image: str = ""
    config: str | list[str] | None = None
    symbols: str | None = None
    form: KernelForm = "image"
    flash: FlashStart | None = None
    source: str | None = None
    defconfig: str = ""
    options: dict[str, str | int | bool] = {}
    patches: list[str] = []
    variables: dict[str, str] = {}
    compiler: str | None = None
    device_tree: str | None = None
    embed_initramfs: bool = False
    append_device_tree: bool = False
    late_modules_ms: Annotated[int, msgspec.Meta(ge=1, le=3_600_000)] | None = None
    modules: bool = True
    prebuilt: str | None = None
    cmdline: str | None = None
    application: str | None = None


class RawFiles(RawTable, frozen=True):
    """What `[initramfs]`, `[root]` and `[[steps]]` have in common: files.

    The entries of `files` are converted one by one, so that an error can name the file.
    """

    dir: str | list[str] | None = None
    owners: Literal["root", "kept"] = "root"
    archive: str | None = None
    files: dict[str, Any] = {}


class RawTree(RawFiles, frozen=True):
    """A whole tree."""

    keep: list[str] = []


class RawInitramfs(RawTree, frozen=True):
    """`[initramfs]`. An archive alone, without compression or level, boots as the file it is."""

    compression: Compression | None = None
    level: int | None = None


class RawRoot(RawTree, frozen=True):
    """`[root]`: the root tree on a medium of the machine."""

    file_system: str = "ext4"
    medium: RootMedium = "sd"
    size_mib: int | None = None
    image: str | None = None
    partition: int = 0


class RawBusybox(RawTable, frozen=True):
    """A BusyBox that is built, as a value in `[initramfs.files]`."""

    applets: list[str] = []
    options: dict[str, str | int | bool] = {}
    source: str = "debian"


class RawEntry(RawTable, frozen=True):
    """One value of `[initramfs.files]`, `[root.files]` or a step's `files`."""

    source: str | None = None
    text: str | None = None
    busybox: RawBusybox | None = None
    symlink: str | None = None
    dir: bool | None = None
    fifo: bool | None = None
    char: tuple[int, int] | None = None
    block: tuple[int, int] | None = None
    mode: str | None = None
    uid: int = 0
    gid: int = 0


class RawProgram(RawTable, frozen=True):
    """One table `[programs."/path"]`: a program that is built from source. Converted one by one, as `files` are."""

    sources: list[str] = []
    build: str = ""
    compiler: str | None = None
    libc: Libc = "glibc"
    link: Link = "shared"
    cflags: str = "-O2"
    ldflags: str = ""
    libs: str = ""
    variables: dict[str, str] = {}
    library_dirs: list[str] = []
    strip: bool = False
    mode: str | None = None


class RawLoader(RawTable, frozen=True):
    """`[loader]`: the boot loader on the machine's card."""

    image: str | None = None
    card: str | None = None
    source: str | None = None
    defconfig: str = ""
    config: str | list[str] | None = None
    options: dict[str, str | int | bool] = {}
    patches: list[str] = []
    compiler: str | None = None
    start: LoaderStart | None = None
    fallback: LoaderStart = "extlinux"
    wrapped: bool = False
    place: LoaderPlace = "fat"
    exact: bool = False
    in_place: bool = False
    silent: bool = False
    checked: bool = False
    appended: bool = False
    grub: str | None = None
    wait_s: int | None = None
    uefi: str | None = None
    program: str | None = None


class RawStorage(Storage, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[storage]`: where `bootlab fs` puts root file systems."""


class RawStep(RawFiles, frozen=True, kw_only=True):
    """One of `[[steps]]`."""

    name: str
    title: str = ""
    remove: list[str] = []
    keep: list[str] = []
    programs: dict[str, Any] = {}
    drop: list[str] = []
    set: list[str] = []
    arguments: list[str] | None = None
    technique: str = ""
    shown: str | None = None
    gone: str | None = None
    published: str = ""


class RawGoal(RawTable, frozen=True):
    """`[goal]`."""

    console: str
    name: str = "goal"


class RawCheck(RawTable, frozen=True):
    """`[check]`."""

    console: str | list[str] = []
    command: list[str] = []


class RawLimits(RawTable, frozen=True):
    """`[limits]`, in seconds. What is not given of virtual time depends on the shift."""

    virtual_s: float | None = None
    stall_virtual_s: float | None = None
    check_s: float = CHECK_S
    wall_s: float = 180.0
    stall_wall_s: float = 60.0


class RawSystem(RawTable, frozen=True):
    """The whole file."""

    name: str
    goal: RawGoal
    target: TargetName = "qemu"
    machine: RawMachine = RawMachine()
    clock: RawClock = RawClock()
    kernel: RawKernel = RawKernel()
    initramfs: RawInitramfs | None = None
    root: RawRoot | None = None
    programs: dict[str, Any] = {}
    loader: RawLoader | None = None
    storage: RawStorage | None = None
    check: RawCheck = RawCheck()
    marks: dict[str, Any] = {}
    limits: RawLimits = RawLimits()
    steps: list[RawStep] = []
    cmdline: str | None = None
    application: str | None = None
    application_arguments: list[str] = []
    recordings: str | None = None
