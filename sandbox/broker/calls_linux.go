package broker

import "golang.org/x/sys/unix"

// How the broker does each call that the filter hands over. Where a call has its
// arguments is that of its manual page, section 2; which calls there are, and when they
// are handed over, is the table of sandbox/seccomp.

// args are a call's.
type args [6]uint64

func (g *args) fd(i int) int32   { return int32(g[i]) }
func (g *args) int(i int) int    { return int(int32(g[i])) }
func (g *args) u32(i int) uint32 { return uint32(g[i]) }

// handler does one call.
type handler func(a *request, g *args) (reply, error)

// plain is a call that returns 0.
func plain(f func(a *request, g *args) error) handler {
	return func(a *request, g *args) (reply, error) { return done, f(a, g) }
}

const creatFlags = unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC

// handlers is a function: no other process of ours pays for the table.
func handlers() map[string]handler {
	return map[string]handler{
		"open":   func(a *request, g *args) (reply, error) { return a.openCall(atFDCWD, g[0], g.int(1), g.u32(2)) },
		"openat": func(a *request, g *args) (reply, error) { return a.openCall(g.fd(0), g[1], g.int(2), g.u32(3)) },
		"creat":  func(a *request, g *args) (reply, error) { return a.openCall(atFDCWD, g[0], creatFlags, g.u32(1)) },

		"mkdir":     plain(func(a *request, g *args) error { return a.mkdir(atFDCWD, g[0], g.u32(1)) }),
		"mkdirat":   plain(func(a *request, g *args) error { return a.mkdir(g.fd(0), g[1], g.u32(2)) }),
		"mknod":     plain(func(a *request, g *args) error { return a.mknod(atFDCWD, g[0], g.u32(1), g[2]) }),
		"mknodat":   plain(func(a *request, g *args) error { return a.mknod(g.fd(0), g[1], g.u32(2), g[3]) }),
		"symlink":   plain(func(a *request, g *args) error { return a.symlink(g[0], atFDCWD, g[1]) }),
		"symlinkat": plain(func(a *request, g *args) error { return a.symlink(g[0], g.fd(1), g[2]) }),
		"link":      plain(func(a *request, g *args) error { return a.link(atFDCWD, g[0], atFDCWD, g[1], 0) }),
		"linkat":    plain(func(a *request, g *args) error { return a.link(g.fd(0), g[1], g.fd(2), g[3], g.int(4)) }),
		"rename":    plain(func(a *request, g *args) error { return a.rename(atFDCWD, g[0], atFDCWD, g[1], 0) }),
		"renameat":  plain(func(a *request, g *args) error { return a.rename(g.fd(0), g[1], g.fd(2), g[3], 0) }),
		"renameat2": plain(func(a *request, g *args) error { return a.rename(g.fd(0), g[1], g.fd(2), g[3], uint(g.u32(4))) }),
		"unlink":    plain(func(a *request, g *args) error { return a.unlink(atFDCWD, g[0], 0) }),
		"rmdir":     plain(func(a *request, g *args) error { return a.unlink(atFDCWD, g[0], unix.AT_REMOVEDIR) }),
		"unlinkat":  plain(func(a *request, g *args) error { return a.unlink(g.fd(0), g[1], g.int(2)) }),
		"truncate":  plain(func(a *request, g *args) error { return a.truncate(g[0], int64(g[1])) }),

		"chmod":     mode(where{dir: cwd, path: 0}, 1),
		"fchmod":    mode(where{dir: 0, path: none}, 1),
		"fchmodat":  mode(where{dir: 0, path: 1}, 2),
		"chown":     owner(where{dir: cwd, path: 0}, 1),
		"lchown":    owner(where{dir: cwd, path: 0, itself: true}, 1),
		"fchown":    owner(where{dir: 0, path: none}, 1),
		"fchownat":  owner(where{dir: 0, path: 1, flags: 4}, 2),
		"utime":     times(where{dir: cwd, path: 0}, 1, timeSeconds),
		"utimes":    times(where{dir: cwd, path: 0}, 1, timeMicro),
		"futimesat": times(where{dir: 0, path: 1, nullable: true}, 2, timeMicro),
		"utimensat": times(where{dir: 0, path: 1, flags: 3, nullable: true}, 2, timeNano),

		"setxattr":     attribute(where{dir: cwd, path: 0}, true),
		"lsetxattr":    attribute(where{dir: cwd, path: 0, itself: true}, true),
		"fsetxattr":    attribute(where{dir: 0, path: none}, true),
		"removexattr":  attribute(where{dir: cwd, path: 0}, false),
		"lremovexattr": attribute(where{dir: cwd, path: 0, itself: true}, false),
		"fremovexattr": attribute(where{dir: 0, path: none}, false),

		"connect":           func(a *request, g *args) (reply, error) { return a.connect(g.fd(0), g[1], g.u32(2)) },
		"bind":              plain(func(a *request, g *args) error { return a.bind(g.fd(0), g[1], g.u32(2)) }),
		"inotify_add_watch": func(a *request, g *args) (reply, error) { return a.watch(g.fd(0), g[1], g.u32(2)) },
		"umask": func(a *request, _ *args) (reply, error) {
			a.b.umask.changed()
			a.b.dirty.Store(true)
			return goOn, nil
		},
	}
}

// brokeredCall is one of them by its number.
type brokeredCall struct {
	name string
	do   handler
}

func brokeredCalls(nr map[string]uint32) map[int32]brokeredCall {
	calls := map[int32]brokeredCall{}
	for name, do := range handlers() {
		if n, ok := nr[name]; ok {
			calls[int32(n)] = brokeredCall{name, do}
		}
	}
	return calls
}
