package canary

import (
	"io"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
)

// layUDP listens to nothing: on loopback a datagram without a receiver is sent all the
// same. Go sets up such a socket with an option that Wine has not.
func (b *Bait) layUDP() ([]io.Closer, error) {
	b.UDP = b.TCP
	return nil, nil
}

// layMore adds a directory with a low label, and kernel objects.
func (b *Bait) layMore(dir string) ([]io.Closer, error) {
	b.Low, b.Object = filepath.Join(dir, "low"), "pillion-"+filepath.Base(dir)
	if err := os.Mkdir(b.Low, 0o700); err != nil {
		return nil, err
	}
	if err := wintoken.LabelLow(b.Low); err != nil {
		return nil, err
	}
	return layObjects(b.Object)
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
	h, _, errno := openFileMapping.Call(windows.FILE_MAP_WRITE, 0, uintptr(unsafe.Pointer(text)))
	if h == 0 {
		return errno
	}
	return windows.CloseHandle(windows.Handle(h))
}

// Two calls that the library lacks.
var (
	openFileMapping = windows.NewLazySystemDLL("kernel32.dll").NewProc("OpenFileMappingW")
	impersonate     = windows.NewLazySystemDLL("advapi32.dll").NewProc("ImpersonateLoggedOnUser")
)
