package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// A kernel that lacks something is this one with a filter that answers as such a kernel
// does. $REPLAY_LACKS names what it takes away; the test binary puts it on and becomes the
// sidecar, which doesn't know it.
const lacksVariable = "REPLAY_LACKS"

// lacking are the system calls that each layer is made with.
var lacking = map[string][]call{
	"landlock": {{nr: unix.SYS_LANDLOCK_CREATE_RULESET, errno: unix.ENOSYS}},
	"userns": {
		{nr: unix.SYS_CLONE3, errno: unix.ENOSYS},
		{nr: unix.SYS_CLONE, flags: unix.CLONE_NEWUSER, errno: unix.EPERM},
		{nr: unix.SYS_UNSHARE, flags: unix.CLONE_NEWUSER, errno: unix.EPERM},
	},
	"openat2": {{nr: unix.SYS_OPENAT2, errno: unix.ENOSYS}},
}

// call is refused, if it has one of the flags where those are named.
type call struct {
	nr, flags uint32
	errno     syscall.Errno
}

// TestEveryRungIsHonestToTheEditor plays testdata/rungs/LAYER[-LAYER…].rpc.txtar
// against the built program where these layers are missing: it starts, reports what
// is left, and runs, refuses and degrades by name.
func TestEveryRungIsHonestToTheEditor(t *testing.T) {
	needs.Namespaces(t) // of a machine that has all, layers are taken away
	long.Test(t)
	files, err := filepath.Glob("../../testdata/rungs/*.rpc.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	binary := sidecar(t, plainBuild)
	for _, file := range files {
		s, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(s.Name, func(t *testing.T) {
			noLeaks(t)
			playScenario(t, s, way{"binary", Spawn(without(t, s.Name, binary)), jsonrpc.FramingHeader, nil})
		})
	}
}

// without is a program that runs binary on a kernel that lacks layers.
func without(t *testing.T, layers, binary string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "pillion")
	text := fmt.Sprintf("#!/bin/sh\n%s='%s' exec '%s' '%s' \"$@\"\n", lacksVariable, layers, self, binary)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return script
}

// lack becomes the program that the arguments name, under the filter.
func lack(layers string) int {
	runtime.LockOSThread()
	if err := os.Unsetenv(lacksVariable); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var calls []call
	for _, layer := range strings.Split(layers, "-") {
		if lacking[layer] == nil {
			fmt.Fprintf(os.Stderr, "no layer %q\n", layer)
			return 2
		}
		calls = append(calls, lacking[layer]...)
	}
	err := refuse(calls)
	if err == nil {
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	return 2
}

// refuse puts the filter on this thread.
func refuse(calls []call) error {
	const number, firstArgument = 0, 16 // in struct seccomp_data; both machines we test on are little-endian
	prog := []bpf.Instruction{bpf.LoadAbsolute{Off: number, Size: 4}}
	for _, c := range calls {
		answer := []bpf.Instruction{bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(c.errno)}}
		if c.flags != 0 {
			answer = slices.Concat([]bpf.Instruction{
				bpf.LoadAbsolute{Off: firstArgument, Size: 4},
				bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: c.flags, SkipTrue: 1},
			}, answer, []bpf.Instruction{bpf.LoadAbsolute{Off: number, Size: 4}})
		}
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: c.nr, SkipTrue: uint8(len(answer))})
		prog = append(prog, answer...)
	}
	raw, err := bpf.Assemble(append(prog, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}))
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(raw))
	for i, ins := range raw {
		code[i] = unix.SockFilter{Code: ins.Op, Jt: ins.Jt, Jf: ins.Jf, K: ins.K}
	}
	if os.Geteuid() != 0 { // root may without, and then no_new_privs is the sandbox's own
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	filter := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&filter)))
	runtime.KeepAlive(code)
	if errno != 0 {
		return errno
	}
	return nil
}
