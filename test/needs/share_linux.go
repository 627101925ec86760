package needs

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// shared is a file that all test binaries of one go test have in common, in the
// directory that go test makes for them and removes: the lines so far, and a lock that
// each binary holds while it runs. Without a file, lines go to standard output.
type shared struct{ file *os.File }

func share() shared {
	exe, err := os.Executable()
	work := filepath.Dir(filepath.Dir(exe)) // go-build123/b001/x.test
	if err != nil || !strings.HasPrefix(filepath.Base(work), "go-build") {
		return shared{}
	}
	f, err := os.OpenFile(filepath.Join(work, "not-tested"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return shared{}
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH) != nil {
		f.Close()
		return shared{}
	}
	return shared{f}
}

// close adds the lines of this binary, and prints all of them if it is the last one.
func (s shared) close(lines []string) {
	if s.file == nil {
		printAll(os.Stdout, lines)
		return
	}
	defer s.file.Close()
	printAll(s.file, lines)
	// The kernel gives up the shared lock first: of two that end at once, the second
	// one gets the other lock.
	if syscall.Flock(int(s.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil || busy(os.Getppid(), filepath.Dir(s.file.Name())) {
		return
	}
	all, err := os.ReadFile(s.file.Name())
	if err != nil {
		return
	}
	left := news(strings.Split(string(all), "\n"))
	out, end := output()
	defer end()
	printAll(out, left)
	for _, line := range left {
		fmt.Fprintln(s.file, mark+line)
	}
}

func printAll(w io.Writer, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
}

// busy reports whether go test still builds something. A test binary doesn't count: one
// that starts will have its turn, and one that ends has no program any more, though it
// may still be there; nor does an orphan, which nobody has waited for.
func busy(parent int, work string) bool {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, path := range tasks {
		b, _ := os.ReadFile(path)
		for _, pid := range strings.Fields(string(b)) {
			exe, err := os.Readlink("/proc/" + pid + "/exe")
			if err == nil && !strings.HasPrefix(exe, work+"/") {
				return true
			}
		}
	}
	return false
}

// output is where go test itself writes. Other lines don't belong into its JSON.
func output() (w io.Writer, end func()) {
	v := flag.Lookup("test.v")
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", os.Getppid()))
	if string(name) == "go\n" && (v == nil || v.Value.String() != "test2json") {
		if f, err := outputOf(os.Getppid()); err == nil {
			return f, func() { f.Close() }
		}
	}
	return os.Stdout, func() {}
}

// outputOf is a process's standard output. Opened by its name it would have a place of
// its own in a file, and the next line of go test would be written over ours: that is
// for pipes and terminals, where the kernel doesn't let us have the descriptor itself.
func outputOf(pid int) (*os.File, error) {
	if p, err := unix.PidfdOpen(pid, 0); err == nil {
		defer unix.Close(p)
		if fd, err := unix.PidfdGetfd(p, 1, 0); err == nil {
			return os.NewFile(uintptr(fd), "stdout"), nil
		}
	}
	name := fmt.Sprintf("/proc/%d/fd/1", pid)
	if at, err := os.Stat(name); err != nil || at.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a file: %w", name, err)
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
}

// mark precedes a line that was printed already.
const mark = "said: "

// news are the lines that were not said yet, sorted, each once.
func news(noted []string) (lines []string) {
	for _, line := range noted {
		if line != "" && !strings.HasPrefix(line, mark) && !slices.Contains(noted, mark+line) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
