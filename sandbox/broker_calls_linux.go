package sandbox

import "golang.org/x/sys/unix"

// brokeredCall is one call the broker does; the argument layout is that of each
// call's manual page, section 2.
type brokeredCall struct {
	name string
	do   func(a *ask, arg *[6]uint64) (reply, error)
}

func plain(f func(a *ask, arg *[6]uint64) error) func(*ask, *[6]uint64) (reply, error) {
	return func(a *ask, arg *[6]uint64) (reply, error) { return done, f(a, arg) }
}

const creatFlags = unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC

// brokeredByName is a function: no other process of ours pays for the table.
func brokeredByName() map[string]func(a *ask, arg *[6]uint64) (reply, error) {
	return map[string]func(a *ask, arg *[6]uint64) (reply, error){
		"open": func(a *ask, arg *[6]uint64) (reply, error) {
			return a.openCall(atFDCWD, arg[0], int(int32(arg[1])), uint32(arg[2]))
		},
		"openat": func(a *ask, arg *[6]uint64) (reply, error) {
			return a.openCall(int32(arg[0]), arg[1], int(int32(arg[2])), uint32(arg[3]))
		},
		"creat": func(a *ask, arg *[6]uint64) (reply, error) {
			return a.openCall(atFDCWD, arg[0], creatFlags, uint32(arg[1]))
		},
		"mkdir":   plain(func(a *ask, arg *[6]uint64) error { return a.mkdir(atFDCWD, arg[0], uint32(arg[1])) }),
		"mkdirat": plain(func(a *ask, arg *[6]uint64) error { return a.mkdir(int32(arg[0]), arg[1], uint32(arg[2])) }),
		"mknod":   plain(func(a *ask, arg *[6]uint64) error { return a.mknod(atFDCWD, arg[0], uint32(arg[1]), arg[2]) }),
		"mknodat": plain(func(a *ask, arg *[6]uint64) error { return a.mknod(int32(arg[0]), arg[1], uint32(arg[2]), arg[3]) }),
		"symlink": plain(func(a *ask, arg *[6]uint64) error { return a.symlink(arg[0], atFDCWD, arg[1]) }),
		"symlinkat": plain(func(a *ask, arg *[6]uint64) error {
			return a.symlink(arg[0], int32(arg[1]), arg[2])
		}),
		"link": plain(func(a *ask, arg *[6]uint64) error { return a.link(atFDCWD, arg[0], atFDCWD, arg[1], 0) }),
		"linkat": plain(func(a *ask, arg *[6]uint64) error {
			return a.link(int32(arg[0]), arg[1], int32(arg[2]), arg[3], int(int32(arg[4])))
		}),
		"rename": plain(func(a *ask, arg *[6]uint64) error { return a.rename(atFDCWD, arg[0], atFDCWD, arg[1], 0) }),
		"renameat": plain(func(a *ask, arg *[6]uint64) error {
			return a.rename(int32(arg[0]), arg[1], int32(arg[2]), arg[3], 0)
		}),
		"renameat2": plain(func(a *ask, arg *[6]uint64) error {
			return a.rename(int32(arg[0]), arg[1], int32(arg[2]), arg[3], uint(uint32(arg[4])))
		}),
		"unlink":   plain(func(a *ask, arg *[6]uint64) error { return a.unlink(atFDCWD, arg[0], 0) }),
		"rmdir":    plain(func(a *ask, arg *[6]uint64) error { return a.unlink(atFDCWD, arg[0], unix.AT_REMOVEDIR) }),
		"unlinkat": plain(func(a *ask, arg *[6]uint64) error { return a.unlink(int32(arg[0]), arg[1], int(int32(arg[2]))) }),
		"truncate": plain(func(a *ask, arg *[6]uint64) error { return a.truncate(arg[0], int64(arg[1])) }),
		"umask": func(a *ask, _ *[6]uint64) (reply, error) {
			a.b.umask.changed()
			a.b.dirty.Store(true)
			return goOn, nil
		},
	}
}

func brokeredCalls(nr map[string]uint32) map[int32]brokeredCall {
	calls := map[int32]brokeredCall{}
	for name, do := range brokeredByName() {
		if n, ok := nr[name]; ok {
			calls[int32(n)] = brokeredCall{name, do}
		}
	}
	for _, name := range metadataCalls {
		if n, ok := nr[name]; ok {
			calls[int32(n)] = brokeredCall{name, plain(func(a *ask, _ *[6]uint64) error { return a.metadata(name) })}
		}
	}
	for _, name := range changedXattrCalls {
		if n, ok := nr[name]; ok {
			calls[int32(n)] = brokeredCall{name, plain(func(a *ask, _ *[6]uint64) error { return a.xattr(name) })}
		}
	}
	return calls
}
