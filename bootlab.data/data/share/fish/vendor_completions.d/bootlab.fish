# SPDX-License-Identifier: MIT
complete --command bootlab --no-files --arguments "(env _BOOTLAB_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args _TYPER_COMPLETE_ARGS=(commandline -cp) bootlab)" --condition "env _BOOTLAB_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=is-args _TYPER_COMPLETE_ARGS=(commandline -cp) bootlab"
