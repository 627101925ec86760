package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func canaryMain(args []string) int {
	b, ok := parseBait(args)
	if !ok {
		return 2
	}
	for _, a := range attempts {
		var errno syscall.Errno
		if err := a.try(b); err != nil && !errors.As(err, &errno) {
			errno = unix.EINVAL
		}
		fmt.Println(a.name, int(errno))
	}
	fmt.Println("daemon", leave(b.inside, daemonName))
	time.Sleep(daemonSeen)
	fmt.Println(attemptOrphan, leave(b.inside, orphanName))
	return 0
}

// daemonSeen is long enough for somebody who looks to see the daemon while its parent
// lives: what an orphan does not grant.
const daemonSeen = 3 * soonest

var attempts = []struct {
	name string
	try  func(bait) error
}{
	{"write", func(b bait) error { return openFile(b.file, unix.O_WRONLY) }},
	{"read", func(b bait) error { return openFile(b.secret, unix.O_RDONLY) }},
	{"truncate", func(b bait) error { return unix.Truncate(b.file, 0) }},
	{"rename", func(b bait) error { return unix.Rename(b.file, b.file+"2") }},
	{"chmod", func(b bait) error { return unix.Chmod(b.file, 0o644) }},
	{"utime", func(b bait) error { return unix.Utimes(b.file, make([]unix.Timeval, 2)) }},
	{"xattr", func(b bait) error { return unix.Setxattr(b.file, "pillion", []byte("x"), 0) }},
	{"inside", func(b bait) error { return create(b.inside, "canary") }},
	{"protected", func(b bait) error { return create(b.inside, ".git/hooks/pre-commit") }},
	{"protectedCase", func(b bait) error {
		err := create(b.inside, ".GIT/hooks/pre-commit")
		if errors.Is(err, unix.ENOENT) { // a volume that tells cases apart
			return unix.Mkdir(filepath.Join(b.inside, ".GIT"), 0o700)
		}
		return err
	}},
	{"protectedRename", func(b bait) error {
		if err := b.plant("aside"); err != nil {
			return err
		}
		return unix.Rename(filepath.Join(b.inside, "aside"), filepath.Join(b.inside, ".git/config"))
	}},
	{"protectedLink", func(b bait) error {
		alias := filepath.Join(b.inside, "alias")
		if err := unix.Link(filepath.Join(b.inside, ".git/config"), alias); err != nil {
			return err
		}
		return openFile(alias, unix.O_WRONLY)
	}},
	{"protectedSwap", func(b bait) error {
		if err := b.plant("swap"); err != nil {
			return err
		}
		return unix.RenamexNp(filepath.Join(b.inside, "swap"), filepath.Join(b.inside, ".git/config"), unix.RENAME_SWAP)
	}},
	{"environ", func(b bait) error { return readEnvironment(b.pid) }},
	{"tcp", func(b bait) error {
		return connect(unix.AF_INET, unix.SOCK_STREAM, &unix.SockaddrInet4{Port: b.tcp, Addr: [4]byte{127, 0, 0, 1}})
	}},
	{"udp", func(b bait) error { return datagram(&unix.SockaddrInet4{Port: b.udp, Addr: [4]byte{127, 0, 0, 1}}) }},
	{"unixPath", func(b bait) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: b.path})
	}},
	{"shm", func(b bait) error {
		if b.shm == 0 {
			return unix.EPERM // this system makes none: there is nothing to reach
		}
		_, err := unix.SysvShmAttach(b.shm, 0, unix.SHM_RDONLY)
		return err
	}},
	{"mach", func(bait) error { return lookUpService("com.apple.coreservices.launchservicesd") }},
	{"signal", func(b bait) error { return unix.Kill(b.pid, unix.SIGURG) }}, // a real one, which Go's runtime sends itself all the time
	{"setuid", func(bait) error { return runSetuid() }},
}

// plant makes a file of the canary's own, where it may make any at all.
func (b bait) plant(name string) error { return create(b.inside, name) }

func create(dir, name string) error {
	return openFile(filepath.Join(dir, name), unix.O_CREAT|unix.O_WRONLY)
}

func openFile(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func connect(family, kind int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, to)
}

func datagram(to unix.Sockaddr) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Sendto(fd, []byte("x"), 0, to)
}
