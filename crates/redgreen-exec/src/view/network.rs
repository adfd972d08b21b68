//! A job without a network.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

use nix::libc;
use nix::sched::{CloneFlags, unshare};

use super::namespace::refused;

/// The name of the loopback.
const LOOPBACK: &[u8] = b"lo";

/// What says that an interface is there to be used: `IFF_UP` and `IFF_RUNNING`.
const UP: libc::c_short = 0x41;

/// Enters a network namespace that has nothing but a loopback, which nobody outside hears.
pub fn leave() -> Result<(), String> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(|error| refused("network namespace", error))?;
    raise_loopback().map_err(|error| format!("loopback: {error}"))
}

fn raise_loopback() -> io::Result<()> {
    #[expect(unsafe_code, reason = "nix has the call behind a feature that nothing else needs")]
    // The descriptor that it returns is owned from here on.
    let socket = unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(socket)
    };
    #[expect(unsafe_code, reason = "the request is all zeros but for a name that fits into it")]
    let raised = unsafe {
        let mut request: libc::ifreq = mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(LOOPBACK) {
            *to = libc::c_char::from_ne_bytes([*from]);
        }
        request.ifr_ifru.ifru_flags = UP;
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &request)
    };
    if raised < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
