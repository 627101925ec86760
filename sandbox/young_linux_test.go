package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A path that is too long for the kernel to say hides nothing: the next command
// would bring it back to where git looks.
func TestARepositoryTooDeepToBeNamedIsHarmless(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.host("printf '" + strings.ReplaceAll(evil, "\n", "\\n") + "' > evil && chmod +x evil")
		for _, step := range []string{"down", "up"} {
			if o := b.helper("helper-deep", step); o.status.Code != 0 {
				t.Fatalf("%s: %+v", step, o)
			}
		}
		if ran := b.obeyed(); ran != "" {
			t.Error(ran)
		}
	})
}

// deepHelper moves a repository and a pointer, both bad, to where their paths are
// longer than PATH_MAX, or back.
func deepHelper(step string) int {
	script := `git init -q n/r; git -C n/r config core.fsmonitor $PWD/evil; mkdir n/p e; echo "gitdir: $PWD/e" > n/p/.git; true`
	if step == "down" && exec.Command("/bin/sh", "-c", script).Run() != nil {
		return 1
	}
	top, err := unix.Open(".", unix.O_PATH, 0)
	if err != nil {
		return 2
	}
	for where, _ := os.Getwd(); len(where) < unix.PathMax-12; {
		name := strings.Repeat("d", min(200, unix.PathMax-8-len(where)))
		where += "/" + name
		if step == "down" {
			err = unix.Mkdir(name, 0o755)
		}
		if err := errors.Join(err, unix.Chdir(name)); err != nil {
			fmt.Println(err)
			return 3
		}
	}
	from, to := top, unix.AT_FDCWD
	if step == "up" {
		from, to = to, from
	}
	if err := unix.Renameat(from, "n", to, "n"); err != nil {
		fmt.Println(err)
		return 4
	}
	return 0
}

// Settings that were replaced are a file without a name, which the kernel calls
// "config (deleted)": that is not a name of its own.
func TestReplacedSettingsAreSettings(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		o := b.sh("exec 3<.git/config && git config branch.x.merge refs/heads/x && echo '[core]' >/proc/self/fd/3")
		if o.status.Code == 0 {
			t.Errorf("%+v", o)
		}
	})
}

// Settings that are written anew have another name for a moment. Another command of
// the same workspace, which waits for it, could keep the file open and change it
// once it has its own name.
func TestNobodyWritesToSettingsThatAreBeingReplaced(t *testing.T) {
	t.Parallel()
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.repositories()
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		p, r := b.start(exe, "helper-grab")
		defer r.Close()
		waitForFile(t, filepath.Join(b.ws, "waiting"))
		o := b.sh("for i in $(seq 100); do git config branch.x.merge refs/heads/$i || exit 1; done; touch stop")
		if o.status.Code != 0 {
			t.Errorf("%+v", o)
		}
		if st, err := p.Wait(); err != nil || st.Code != 0 {
			t.Errorf("the other command: %+v, %v", st, err)
		}
		_, _ = p.End(false)
		if text := b.host("cat .git/config"); strings.Contains(text, "evil") || !strings.Contains(text, "refs/heads/100") {
			t.Errorf("config: %s", text)
		}
	})
}

func grabHelper() int {
	if err := os.WriteFile("waiting", nil, 0o644); err != nil {
		return 1
	}
	for {
		if fd, err := unix.Open(".git/config.pillion", unix.O_WRONLY|unix.O_APPEND, 0); err == nil {
			_, _ = unix.Write(fd, []byte("[core]\n\tfsmonitor = evil\n"))
			return 2
		}
		if _, err := os.Lstat("stop"); err == nil {
			return 0
		}
	}
}
