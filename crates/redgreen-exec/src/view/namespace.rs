//! The namespaces of a view.

use std::fs;
use std::io;

use nix::errno::Errno;
use nix::libc;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::unistd::{Gid, Uid, getegid, geteuid};

/// More capabilities than any kernel knows.
const CAPABILITIES: libc::c_ulong = 64;
/// Where systems say that they restrict user namespaces: the file, the value, and the setting's name.
const RESTRICTIONS: [(&str, &str, &str); 3] = [
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "kernel.apparmor_restrict_unprivileged_userns=1",
    ),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=0"),
    ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=0"),
];

/// Enters a mount namespace of its own; where that is not allowed, with a user namespace of its own.
/// Must be called before a thread is started.
pub fn enter() -> Result<(), String> {
    if unshare(CloneFlags::CLONE_NEWNS).is_err() {
        // From inside, before they are mapped, the ids are nobody's.
        let (user, group, bounds) = (geteuid(), getegid(), bounding_set());
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)
            .map_err(|error| refused("user and mount namespaces", error))?;
        map_to_itself(user, group)
            .map_err(|error| format!("cannot keep the own user id: {error}{}", hint()))?;
        // A program that root executes has all capabilities of the bounding set; a new namespace's has
        // all there are.
        limit_to(&bounds);
    }
    // What is mounted from now on is nobody else's.
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(None::<&str>, "/", None::<&str>, flags, None::<&str>)
        .map_err(|error| refused("private mounts", error))
}

/// What the system said to a thing that it does not allow, and where that may be set.
pub fn refused(what: &str, error: Errno) -> String {
    format!("{what}: {}{}", error.desc(), hint())
}

fn hint() -> String {
    let set = |(file, value, _): &&(&str, &str, &str)| {
        fs::read_to_string(file).is_ok_and(|found| found.trim() == *value)
    };
    let restricted = RESTRICTIONS.iter().find(set);
    restricted.map_or_else(String::new, |(_, _, name)| format!(" (this system has {name})"))
}

/// The own ids are the only ones, and are the same inside as outside.
fn map_to_itself(user: Uid, group: Gid) -> io::Result<()> {
    // The files of a process that keeps others away are root's.
    prctl::set_dumpable(true)?;
    let mapped = fs::write("/proc/self/uid_map", format!("{user} {user} 1"))
        // Else a group could be left that forbids something.
        .and_then(|()| fs::write("/proc/self/setgroups", "deny"))
        .and_then(|()| fs::write("/proc/self/gid_map", format!("{group} {group} 1")));
    prctl::set_dumpable(false)?;
    mapped
}

/// Which capabilities programs can get.
fn bounding_set() -> Vec<libc::c_ulong> {
    let has = |capability: &libc::c_ulong| {
        #[expect(unsafe_code, reason = "reads a number; nix has no call for it")]
        let found = unsafe { libc::prctl(libc::PR_CAPBSET_READ, *capability, 0, 0, 0) };
        found == 1
    };
    (0..CAPABILITIES).filter(has).collect()
}

fn limit_to(bounds: &[libc::c_ulong]) {
    for capability in (0..CAPABILITIES).filter(|capability| !bounds.contains(capability)) {
        #[expect(unsafe_code, reason = "takes a right away; nix has no call for it")]
        // Fails for those that the kernel does not know.
        let _ = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
}
