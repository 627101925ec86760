package broker

import (
	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// An access list is an extended attribute, and its entries are the file's mode: it
// can make a hook executable like chmod. So attributes are changed by the broker, too.

// maxAttribute is XATTR_SIZE_MAX.
const maxAttribute = 1 << 16

// attribute is setxattr, or removexattr.
func attribute(w where, set bool) handler {
	return plain(func(a *request, g *args) error {
		key, err := a.path(g[1])
		if err != nil {
			return err
		}
		var value []byte
		if set {
			if value, err = a.bytes(g[2], g[3]); err != nil {
				return err
			}
		}
		file, err := a.ownTarget(w, g, alwaysWrite)
		if err != nil {
			return err
		}
		defer func() { _ = unix.Close(file) }()
		if err := a.b.attribute(file, key); err != nil {
			return err
		}
		if set {
			return unix.Setxattr(files.Path(file), key, value, g.int(4))
		}
		return unix.Removexattr(files.Path(file), key)
	})
}

// bytes reads a value of the caller's.
func (a *request) bytes(addr, size uint64) ([]byte, error) {
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
