package needs

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// Namespaces skips a test of what only user namespaces can give, where the machine
// refuses them, as most containers do.
func Namespaces(t testing.TB) {
	t.Helper()
	if !HasNamespaces() {
		Missing(t, "user namespaces", "docs/sandbox.md says how to allow them")
	}
}

// HasNamespaces asks the kernel for what the sandbox asks it for.
var HasNamespaces = sync.OnceValue(func() bool {
	c := exec.Command("true")
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
	}
	return c.Run() == nil
})
