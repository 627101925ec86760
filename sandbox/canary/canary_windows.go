package canary

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// provesNothing reports an attempt that failed by itself.
const provesNothing = windows.ERROR_INVALID_FUNCTION

func leaveBehind(Bait) {}

func orphan() int { return 2 }

var attempts = []attempt{
	{"write", func(b Bait) error { return openAs(b.File, windows.GENERIC_WRITE, windows.OPEN_EXISTING) }},
	{"truncate", func(b Bait) error { return openAs(b.File, windows.GENERIC_WRITE, windows.TRUNCATE_EXISTING) }},
	{"delete", func(b Bait) error { return openAs(b.File, windows.DELETE, windows.OPEN_EXISTING) }},
	{"attributes", func(b Bait) error {
		return openAs(b.File, windows.FILE_WRITE_ATTRIBUTES|windows.FILE_WRITE_EA, windows.OPEN_EXISTING)
	}},
	{"rules", func(b Bait) error {
		return openAs(b.File, windows.WRITE_DAC, windows.OPEN_EXISTING)
	}},
	{"stream", func(b Bait) error { return openAs(b.File+":stream", windows.GENERIC_WRITE, windows.OPEN_ALWAYS) }},
	{"read", func(b Bait) error { return openAs(b.File, windows.GENERIC_READ, windows.OPEN_EXISTING) }},
	{"registry", func(Bait) error {
		k, err := registry.OpenKey(registry.CURRENT_USER, "Software", registry.SET_VALUE|registry.CREATE_SUB_KEY)
		if err != nil {
			return err
		}
		return k.Close()
	}},
	{"low", func(b Bait) error {
		return openAs(filepath.Join(b.Low, "canary"), windows.GENERIC_WRITE, windows.CREATE_ALWAYS)
	}},
	{"inside", func(b Bait) error {
		return openAs(filepath.Join(b.Inside, "canary"), windows.GENERIC_WRITE, windows.CREATE_ALWAYS)
	}},
	{"protected", func(b Bait) error { return os.Mkdir(filepath.Join(b.Inside, ".vscode"), 0o700) }},
	{"memory", func(b Bait) error { return openProcess(b, windows.PROCESS_VM_READ) }},
	{"terminate", func(b Bait) error { return openProcess(b, windows.PROCESS_TERMINATE) }},
	{"suspend", func(b Bait) error { return openProcess(b, windows.PROCESS_SUSPEND_RESUME) }},
	{"inject", func(b Bait) error {
		return openProcess(b, windows.PROCESS_VM_WRITE|windows.PROCESS_VM_OPERATION|windows.PROCESS_CREATE_THREAD)
	}},
	{"tcp", func(b Bait) error { return connect(b.TCP) }},
	{"udp", func(b Bait) error { return datagram(b.UDP) }},
	{"pipe", func(b Bait) error {
		return openAs(`\\.\pipe\`+b.Object, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.OPEN_EXISTING)
	}},
	{"event", func(b Bait) error {
		name, err := windows.UTF16PtrFromString(b.Object)
		if err != nil {
			return err
		}
		return opened(windows.OpenEvent(windows.EVENT_MODIFY_STATE, false, name))
	}},
	{"section", func(b Bait) error { return openSection(b.Object + "-section") }},
	{"privilege", func(Bait) error { return privileged() }},
	{"admin", func(Bait) error { return administrator() }},
	{"token", writeAsSidecar},
	{"breakaway", func(b Bait) error { return start(b, windows.CREATE_BREAKAWAY_FROM_JOB, false) }},
	{"daemon", func(b Bait) error { return start(b, windows.CREATE_NEW_PROCESS_GROUP, true) }},
	{"rename", func(b Bait) error { return os.Rename(b.File, b.File+"2") }},
}

func openAs(path string, access, how uint32) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	return opened(windows.CreateFile(name, access, share, nil, how, windows.FILE_ATTRIBUTE_NORMAL, 0))
}

func openProcess(b Bait, access uint32) error {
	return opened(windows.OpenProcess(access, false, uint32(b.PID)))
}

func connect(port int) error {
	c, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return err
	}
	return c.Close()
}

// datagram sends one, whether or not anybody listens: what counts is that it leaves.
func datagram(port int) error {
	var d windows.WSAData
	if err := windows.WSAStartup(0x202, &d); err != nil {
		return err
	}
	defer windows.WSACleanup()
	s, err := windows.Socket(windows.AF_INET, windows.SOCK_DGRAM, windows.IPPROTO_UDP)
	if err != nil {
		return err
	}
	defer windows.Closesocket(s)
	return windows.Sendto(s, []byte("x"), 0, &windows.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
}

// privileged succeeds if the token has a privilege besides the one that everybody
// keeps: to pass directories on the way to a file.
func privileged() error {
	own := windows.GetCurrentProcessToken()
	var notify windows.LUID
	name, err := windows.UTF16PtrFromString("SeChangeNotifyPrivilege")
	if err == nil {
		err = windows.LookupPrivilegeValue(nil, name, &notify)
	}
	if err != nil {
		return err
	}
	list, err := wintoken.Privileges(own)
	if err != nil {
		return err
	}
	for _, p := range list {
		if p.Luid != notify {
			return nil
		}
	}
	return windows.ERROR_PRIVILEGE_NOT_HELD
}

// administrator succeeds if that group counts in our token.
func administrator() error {
	sid, err := windows.CreateWellKnownSid(windows.WinBuiltinAdministratorsSid)
	if err != nil {
		return err
	}
	in, err := windows.Token(0).IsMember(sid)
	if err == nil && !in {
		return windows.ERROR_ACCESS_DENIED
	}
	return err
}

// writeAsSidecar borrows the sidecar's token and writes with it.
func writeAsSidecar(b Bait) error {
	runtime.LockOSThread() // for good: the thread may not be ours any more
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_INFORMATION, false, uint32(b.PID))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	var token windows.Token
	if err := windows.OpenProcessToken(h, windows.TOKEN_DUPLICATE|windows.TOKEN_QUERY|windows.TOKEN_IMPERSONATE, &token); err != nil {
		return err
	}
	defer token.Close()
	if r, _, errno := impersonate.Call(uintptr(token)); r == 0 {
		return errno
	}
	err = openAs(b.File, windows.GENERIC_WRITE, windows.OPEN_EXISTING)
	return errors.Join(err, windows.RevertToSelf())
}

// start starts this program again; one that stays has our output.
func start(b Bait, flags uint32, stays bool) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	attr := &os.ProcAttr{Dir: b.Inside, Sys: &syscall.SysProcAttr{CreationFlags: flags}}
	if stays {
		attr.Files = []*os.File{nil, os.Stdout, nil}
	}
	p, err := os.StartProcess(exe, []string{wire.Daemon}, attr)
	if err != nil {
		return err
	}
	if stays {
		return p.Release()
	}
	_ = p.Kill()
	_, err = p.Wait()
	return err
}
