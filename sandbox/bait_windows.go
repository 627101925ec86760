package sandbox

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
)

// bait is what the self-test lays out for the canary. Every piece of it could be had
// or changed by an ordinary program of the user.
type bait struct {
	file   string // outside
	low    string // a directory outside that carries a low label
	inside string // a directory of the workspace
	tcp    int    // a listening port of 127.0.0.1
	pid    int    // the sidecar
	object string // name of a pipe, a section and an event of ours
}

func (b bait) args() []string {
	return []string{canaryName, b.file, b.low, b.inside, strconv.Itoa(b.tcp), strconv.Itoa(b.pid), b.object}
}

func (b *bait) parse(args []string) bool {
	if len(args) != 7 {
		return false
	}
	b.file, b.low, b.inside, b.object = args[1], args[2], args[3], args[6]
	var err [2]error
	b.tcp, err[0] = strconv.Atoi(args[4])
	b.pid, err[1] = strconv.Atoi(args[5])
	return errors.Join(err[:]...) == nil
}

// layBait opens the targets below dir; closing what it returns removes them.
func layBait(dir string) (b bait, open []io.Closer, err error) {
	b = bait{
		file: filepath.Join(dir, "outside"), low: filepath.Join(dir, "low"), inside: filepath.Join(dir, "workspace"),
		pid: os.Getpid(), object: "pillion-" + filepath.Base(dir),
	}
	if err = os.WriteFile(b.file, []byte("outside\n"), 0o600); err != nil {
		return b, open, err
	}
	for _, d := range []string{b.low, b.inside} {
		if err = os.Mkdir(d, 0o700); err != nil {
			return b, open, err
		}
	}
	if err = labelLow(b.low); err != nil {
		return b, open, err
	}
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return b, open, err
	}
	open = append(open, tcp)
	b.tcp = tcp.Addr().(*net.TCPAddr).Port
	objects, err := layObjects(b.object)
	return b, append(open, objects...), err
}

// layObjects makes kernel objects with the rules that programs leave them.
func layObjects(name string) (open []io.Closer, err error) {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	pipe, err := windows.UTF16PtrFromString(`\\.\pipe\` + name)
	if err != nil {
		return nil, err
	}
	section, err := windows.UTF16PtrFromString(name + "-section")
	if err != nil {
		return nil, err
	}
	for _, makeIt := range []func() (windows.Handle, error){
		func() (windows.Handle, error) {
			return windows.CreateNamedPipe(pipe, windows.PIPE_ACCESS_DUPLEX, windows.PIPE_TYPE_BYTE, 1, 512, 512, 0, nil)
		},
		func() (windows.Handle, error) { return windows.CreateEvent(nil, 1, 0, text) },
		func() (windows.Handle, error) {
			return windows.CreateFileMapping(windows.InvalidHandle, nil, windows.PAGE_READWRITE, 0, 4096, section)
		},
	} {
		h, err := makeIt()
		if err != nil {
			return open, err
		}
		open = append(open, handleCloser(h))
	}
	return open, nil
}

type handleCloser windows.Handle

func (h handleCloser) Close() error { return windows.CloseHandle(windows.Handle(h)) }

// labelLow labels a directory as AppData\LocalLow is, and grants nobody anything.
func labelLow(path string) error {
	f, err := openMarked(0, ntPath(path), 0)
	if err != nil {
		return err
	}
	defer f.Close()
	acl, err := labelList(lowLabel(true))
	if err != nil {
		return err
	}
	err = windows.SetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT, windows.LABEL_SECURITY_INFORMATION, nil, nil, nil, acl)
	return os.NewSyscallError("SetSecurityInfo", err)
}

// opened closes a handle that could be had.
func opened(h windows.Handle, err error) error {
	if err != nil {
		return err
	}
	return windows.CloseHandle(h)
}

// openSection is OpenFileMapping, which the library lacks.
func openSection(name string) error {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return err
	}
	h, _, errno := procOpenFileMapping.Call(windows.FILE_MAP_WRITE, 0, uintptr(unsafe.Pointer(text)))
	if h == 0 {
		return errno
	}
	return windows.CloseHandle(windows.Handle(h))
}
