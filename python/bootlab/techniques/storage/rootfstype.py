"""Name the root file system's type."""

from __future__ import annotations

from bootlab.model.change import Change, SetParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.evidence import KernelLog, vanished

_MOUNTED = r"VFS: Mounted root \((\w{1,32}) filesystem\)"
_TRIED = (
    r"couldn't mount (?:as|because)|Magic Mismatch, valid|Can't find valid F2FS|Can't find a SQUASHFS superblock|"
    r"FAT-fs \(\w+\): bogus number|exFAT-fs \(\w+\): invalid boot record|Primary boot signature is not NTFS|"
    r"cannot find valid erofs superblock"
)


class Rootfstype(Technique):
    """Without a type the kernel tries every block file system it has, in order."""

    id = "rootfstype"
    title = "Type of the root file system named"
    stage = "storage"
    what = "Sets `rootfstype=` to the type that this kernel mounted."
    why = "For each wrong type the kernel reads and checks a superblock before it tries the right one."
    when_not = "An initramfs mounts the root, or the kernel tries the right type first."
    cost = "A root of another type is no longer found."
    proof = "kernel-log"
    published = (Published("part of 12.1 s -> 8.8 s", "Raspberry Pi Zero", "github.com/showmewebcam issue 29"),)
    references = ("init/do_mounts.c: mount_block_root(), list_bdev_fs_names()",)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel itself mounted the root without being told its type."""
        cmdline = context.system.cmdline
        if cmdline.has("rootfstype"):
            return Applies.no("it is named already", str(cmdline.get("rootfstype")))
        log = KernelLog.of(context)
        found = log.match(_MOUNTED)
        if found is None:
            if silent := log.why_silent():
                return Applies.unknown(silent)
            return Applies.no("the kernel itself mounted no root file system", log.line(r"Run \S+ as init process"))
        if tried := log.line(_TRIED):
            return Applies.yes("another type was tried first", tried)
        return Applies.unknown("it does not show whether other types were tried first", found.string)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the type that was mounted; without one there is nothing to propose."""
        found = KernelLog.of(context).match(_MOUNTED)
        if found is None:
            return ()
        return (Change(technique=self.id, ops=(SetParam("rootfstype", found[1]),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the failed attempts that are gone. Attempts that say nothing (SB_SILENT) leave no proof."""
        if KernelLog.of(after).match(_MOUNTED) is None:
            return Effect(False, KernelLog.of(after).why_silent() or "the kernel itself mounted no root file system")
        return vanished(before, after, _TRIED)
