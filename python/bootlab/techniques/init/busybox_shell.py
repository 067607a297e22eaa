"""BusyBox built anew so that its shell runs applets itself: what the techniques of that kind share."""

from __future__ import annotations

from bootlab.model.change import Change, SetBusybox
from bootlab.startup import applets
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context, Technique


class BusyboxShell(Technique):
    """A build of BusyBox with `options`; `built_without` says of which of them packaged ones are built without."""

    options: tuple[tuple[str, str], ...]
    built_without: str

    def applies(self, context: Context) -> Applies:
        """Yes when BusyBox is the shell; whether it runs applets itself does not stand in the binary."""
        files = Files.of(context.system)
        if files is None:
            return Applies.no("there is no root tree to look into", "neither [initramfs] nor [root] in the system")
        found = applets.find(files)
        if found is None:
            return Applies.no("there is no BusyBox in the tree", "/bin/sh, /bin/busybox")
        if files.real("/bin/sh") != found.path:
            return Applies.no("BusyBox is not the shell", f"/bin/sh leads to {files.real('/bin/sh')}")
        entry = files.entries[found.path]
        if entry.busybox is not None and set(self.options) <= set(entry.busybox.options):
            return Applies.no("it is built so already", found.path)
        return Applies.yes(f"BusyBox is the shell; {self.built_without}", found.path)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the build; which applets it holds is left as it is."""
        files = Files.of(context.system)
        found = applets.find(files) if files is not None else None
        return (Change(technique=self.id, ops=(SetBusybox(found.path, options=self.options),)),) if found else ()
