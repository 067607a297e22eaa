// SPDX-License-Identifier: MIT
/* The files of the root file system, and which of them were read, by their access times. */
#ifndef BOOTLAB_FILES_H
#define BOOTLAB_FILES_H

/*
 * Remember every regular file and link below the root and mark it as not read. To be called before the system's own init
 * runs; what the kernel read until now (a module loader, firmware) stays read. `self` is left out. With `folders` also the
 * folders.
 */
void files_mark(const char *self, int folders);

/* Return a folder that was empty, to mount on; NULL when there is none. */
const char *files_empty_folder(void);

/* Hand over to seen.h which files were read since the last time. */
void files_seen(void);

/* Write one report line for each remembered file, and for each link that was followed. */
void files_report(void);

#endif
