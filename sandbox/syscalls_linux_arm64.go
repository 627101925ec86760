package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// legacyCalls is empty: arm64 has only the *at forms.
var legacyCalls = map[string]uint32{}
