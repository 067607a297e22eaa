"""BusyBox built anew so that its shell runs applets itself: what the techniques of that kind share."""

from __future__ import annotations

from bootlab.model.change import Op, SetBusybox
from bootlab.startup import applets
from bootlab.startup.files import Files
from bootlab.techniques.base import Applies, Context
from bootlab.techniques.tree_technique import TreeTechnique


class BusyboxShell(TreeTechnique):
    """A build of BusyBox with `options`; `built_without` says of which of them packaged ones are built without."""

    options: tuple[tuple[str, str], ...]
    built_without: str

    def applies_to(self, files: Files, context: Context) -> Applies:  # noqa: ARG002 - the tree tells all
        """Yes when BusyBox is the shell; whether it runs applets itself does not stand in the binary."""
        found = applets.find(files)
        if found is None:
            return Applies.no("there is no BusyBox in the tree", "/bin/sh, /bin/busybox")
        if files.real("/bin/sh") != found.path:
            return Applies.no("BusyBox is not the shell", f"/bin/sh leads to {files.real('/bin/sh')}")
        entry = files.entries[found.path]
        if entry.busybox is not None and set(self.options) <= set(entry.busybox.options):
            return Applies.no("it is built so already", found.path)
        return Applies.yes(f"BusyBox is the shell; {self.built_without}", found.path)

    def ops(self, files: Files, context: Context) -> tuple[Op, ...]:
        """Propose the build; which applets it holds is left as it is."""
        del context
        found = applets.find(files)
        return (SetBusybox(found.path, options=self.options),) if found else ()
