package sandbox

import "golang.org/x/sys/unix"

func buildRoot(conf) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	return mountProc()
}
func mountProc() error { return unix.Mount("proc", "/proc", "proc", 0, "") }
