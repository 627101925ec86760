package seatbelt

// macClosed are secrets among those, which permissions keep from users and not from
// uid 0.
var macClosed = []string{
	"/private/etc/krb5.keytab", "/private/etc/master.passwd", "/private/etc/sudoers",
	"/private/etc/ssh/ssh_host_ecdsa_key", "/private/etc/ssh/ssh_host_ed25519_key", "/private/etc/ssh/ssh_host_rsa_key",
}

// seatbeltBase is what every program needs before it does anything. Of the services
// of the system it has those that look up users, post a notice of a change, take a
// log line and tell a directory: none that starts, opens or draws something for its
// caller, reads its keychain, preferences or pasteboard (launchd, LaunchServices,
// securityd, cfprefsd), which would be a way out.
//
// Whatever is not named is denied: file-link, so that a protected file gets no second
// name; lsopen, appleevent-send and job-creation; process-info* and signal outside of the
// sandbox. Programs with set-user-id never run in a sandbox of macOS.
const seatbeltBase = `(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow file-read-metadata)
(allow file-test-existence)
(allow file-map-executable)
(allow file-read-data
  (literal "/")
  (literal "/etc")
  (literal "/tmp")
  (literal "/var"))
(allow file-read*
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/random")
  (literal "/dev/urandom")
  (literal "/dev/autofs_nowait")
  (literal "/dev/dtracehelper")
  (literal "/dev/tty")
  (literal "/dev/fd")
  (subpath "/dev/fd"))
(allow file-write-data
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/tty")
  (subpath "/dev/fd"))
(allow file-ioctl
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/random")
  (literal "/dev/urandom")
  (literal "/dev/dtracehelper")
  (literal "/dev/tty")
  (regex #"^/dev/ttys[0-9]+$"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl
  (literal "/dev/ptmx"))
(allow file-read* file-write*
  (require-all
    (regex #"^/dev/ttys[0-9]+$")
    (extension "com.apple.sandbox.pty")))
(allow sysctl-read
  (sysctl-name-prefix "hw.")
  (sysctl-name-prefix "kern.proc.pgrp.")
  (sysctl-name-prefix "kern.proc.pid.")
  (sysctl-name-prefix "machdep.cpu.")
  (sysctl-name "kern.argmax")
  (sysctl-name "kern.boottime")
  (sysctl-name "kern.hostname")
  (sysctl-name "kern.iossupportversion")
  (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.maxproc")
  (sysctl-name "kern.ngroups")
  (sysctl-name "kern.osproductversion")
  (sysctl-name "kern.osrelease")
  (sysctl-name "kern.ostype")
  (sysctl-name "kern.osvariant_status")
  (sysctl-name "kern.osversion")
  (sysctl-name "kern.secure_kernel")
  (sysctl-name "kern.tcsm_available")
  (sysctl-name "kern.tcsm_enable")
  (sysctl-name "kern.usrstack64")
  (sysctl-name "kern.version")
  (sysctl-name "machdep.ptrauth_enabled")
  (sysctl-name "security.mac.lockdown_mode_state")
  (sysctl-name "sysctl.proc_cputype")
  (sysctl-name "vm.loadavg"))
(allow sysctl-write
  (sysctl-name "kern.grade_cputype")
  (sysctl-name "kern.tcsm_enable"))
(allow mach-lookup
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.logd")
  (global-name "com.apple.system.DirectoryService.libinfo_v1")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership"))
(allow ipc-posix-sem)
(allow ipc-posix-shm-read-data
  (ipc-posix-name "apple.shm.notification_center"))
(allow ipc-posix-shm-read-data ipc-posix-shm-write-create ipc-posix-shm-write-data ipc-posix-shm-write-unlink
  (ipc-posix-name-regex #"^/(psm_[0-9a-f]+|__KMP_REGISTERED_LIB_[0-9]+)$"))
(allow system-socket
  (socket-domain AF_UNIX))`
