package sandbox

import (
	"strings"

	"golang.org/x/sys/unix"
)

// An access list is an extended attribute, and its entries are the file's mode: it
// can make a hook executable like chmod. So attributes are changed by the broker, too.

// maxAttribute is XATTR_SIZE_MAX.
const maxAttribute = 1 << 16

// xattr does setxattr and removexattr, in the forms for a path, a link and a
// descriptor.
func (a *ask) xattr(name string) error {
	arg := &a.n.args
	t := target{dirfd: int32(arg[0])}
	if name[0] != 'f' {
		t = target{dirfd: atFDCWD, follow: name[0] != 'l'}
		var err error
		if t.path, err = a.path(arg[0]); err != nil {
			return err
		}
		if t.path == "" {
			return unix.ENOENT
		}
	}
	key, err := a.path(arg[1])
	if err != nil {
		return err
	}
	var value []byte
	if strings.HasSuffix(name, "setxattr") {
		if value, err = a.bytes(arg[2], arg[3]); err != nil {
			return err
		}
	}
	file, err := a.target(t, alwaysWrite)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	if strings.HasSuffix(name, "setxattr") {
		return unix.Setxattr(fdPath(file), key, value, int(int32(arg[4])))
	}
	return unix.Removexattr(fdPath(file), key)
}

// bytes reads a value of the caller's.
func (a *ask) bytes(addr, size uint64) ([]byte, error) {
	if size > maxAttribute {
		return nil, unix.E2BIG
	}
	value := make([]byte, size)
	for have := 0; have < len(value); {
		n, err := a.read(addr+uint64(have), value[have:])
		if err != nil {
			return nil, err
		}
		have += n
	}
	return value, a.alive()
}
