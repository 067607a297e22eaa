// SPDX-License-Identifier: MIT
//! What each system call is: a wait, an open, a read. Names of all architectures; those with 64 and time64 too.

use super::profile::WaitFor;

/// What a call does, as far as the profile tells it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It waits.
    Wait(WaitFor),
    /// It opens a path.
    Open,
    /// It looks at a path.
    Look,
    /// It reads from a descriptor.
    Read,
    /// It writes to one.
    Write,
    /// It maps one.
    Map,
    /// It closes one.
    Close,
    /// It copies one.
    Duplicate,
    /// It makes a process or thread.
    Fork,
    /// It starts a program.
    Exec,
    /// It mounts or unmounts.
    Mount,
    /// It is about an address.
    Socket,
    /// Anything else.
    Other,
}

/// What a call of this name does; the arguments tell a futex that waits from one that wakes.
pub fn kind(name: &[u8], arguments: &[u8]) -> Kind {
    match name {
        b"nanosleep" | b"clock_nanosleep" | b"clock_nanosleep_time64" | b"restart_syscall" => {
            Kind::Wait(WaitFor::Sleep)
        }
        b"poll" | b"ppoll" | b"ppoll_time64" | b"select" | b"_newselect" | b"pselect6" | b"pselect6_time64"
        | b"epoll_wait" | b"epoll_pwait" | b"epoll_pwait2" | b"io_getevents" => Kind::Wait(WaitFor::Events),
        b"wait4" | b"waitid" | b"waitpid" => Kind::Wait(WaitFor::Child),
        b"pause" | b"rt_sigsuspend" | b"sigsuspend" | b"rt_sigtimedwait" | b"rt_sigtimedwait_time64" => {
            Kind::Wait(WaitFor::Signal)
        }
        b"futex" | b"futex_time64" if memchr::memmem::find(arguments, b"FUTEX_WAIT").is_some() => {
            Kind::Wait(WaitFor::Lock)
        }
        b"futex" | b"futex_time64" if memchr::memmem::find(arguments, b"FUTEX_LOCK").is_some() => {
            Kind::Wait(WaitFor::Lock)
        }
        b"flock" => Kind::Wait(WaitFor::Lock),
        b"fcntl" | b"fcntl64" if memchr::memmem::find(arguments, b"SETLKW").is_some() => Kind::Wait(WaitFor::Lock),
        b"open" | b"openat" | b"openat2" | b"creat" => Kind::Open,
        b"access" | b"faccessat" | b"faccessat2" | b"stat" | b"stat64" | b"lstat" | b"lstat64" | b"newfstatat"
        | b"fstatat64" | b"statx" | b"readlink" | b"readlinkat" | b"statfs" | b"statfs64" => Kind::Look,
        b"read" | b"pread64" | b"readv" | b"preadv" | b"getdents" | b"getdents64" => Kind::Read,
        b"write" | b"pwrite64" | b"writev" | b"pwritev" => Kind::Write,
        b"mmap" | b"mmap2" => Kind::Map,
        b"close" => Kind::Close,
        b"dup" | b"dup2" | b"dup3" => Kind::Duplicate,
        b"fcntl" | b"fcntl64" if memchr::memmem::find(arguments, b"F_DUPFD").is_some() => Kind::Duplicate,
        b"clone" | b"clone3" | b"fork" | b"vfork" => Kind::Fork,
        b"execve" | b"execveat" => Kind::Exec,
        b"mount" | b"umount" | b"umount2" | b"move_mount" | b"fsmount" | b"pivot_root" => Kind::Mount,
        b"connect" | b"bind" | b"accept" | b"accept4" => Kind::Socket,
        _ => Kind::Other,
    }
}

/// Errors that say: not there, or not yet.
pub fn not_there(error: &[u8]) -> bool {
    matches!(
        error,
        b"ENOENT" | b"ENOTDIR" | b"ENXIO" | b"ENODEV" | b"EBUSY" | b"EAGAIN" | b"EACCES"
    )
}

/// Splits a path into its folder and its last part.
pub fn folder_of(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(at) => &path[..at],
        None => ".",
    }
}

/// True for the name of a shared library: `libc.so.6`, `plugin.so`.
pub fn is_library(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !name.starts_with("ld.so.") && (name.as_bytes().ends_with(b".so") || name.contains(".so."))
}
