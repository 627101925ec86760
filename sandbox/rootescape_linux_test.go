package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/long"
)

// eachRoot runs a test in both kinds of root, as every user.
func eachRoot(t *testing.T, f func(t *testing.T, b *rootBench)) {
	t.Helper()
	everyUser(t, func(t *testing.T) {
		for _, reads := range []Reads{ReadsPrivate, ReadsAll} {
			t.Run(string(reads), func(t *testing.T) {
				b := newRootBench(t)
				b.job.Policy.Reads = reads
				f(t, b)
			})
		}
	})
}

func TestRootKeepsOutsideAsItIs(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.job.Policy.Readable = append(b.job.Policy.Readable, b.out)
		script := `"$EXE" helper-root-change "$OUT/keep"`
		if os.Geteuid() == 0 {
			script += `; "$EXE" helper-root-change /usr/lib/os-release` // no program, which would be busy while it runs
		}
		if out := b.run(script); out != "" {
			t.Errorf("not refused as read-only: %s", out)
		}
	})
}

// nsjail and one more left what is mounted below a read-only directory writable.
func TestRootKeepsSubmountsAsTheyAre(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.mkdir("out/sub")
		b.job.Prepare = [][2]string{{"tmpfs", filepath.Join(b.out, "sub")}}
		b.job.Policy.Readable = append(b.job.Policy.Readable, b.out)
		for _, m := range b.mounts() {
			if m.at == filepath.Join(b.out, "sub") && !m.has("ro") {
				t.Errorf("the submount is not read-only: %v", m.flags)
			}
		}
		b.run(`grep "$OUT/sub tmpfs" /proc/mounts`)
		b.refused(`mkdir "$OUT/sub/d"`, "Read-only file system")
	})
}

func TestRootReadOnlyModeKeepsTheWorkspaceAsItIs(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.file("ws/f", "x")
		b.job.Policy.Mode = ReadOnly
		if out := b.run(`"$EXE" helper-root-change "$WS/f"; cat "$WS/f"`); out != "x" {
			t.Errorf("not refused as read-only: %s", out)
		}
	})
}

// uid 0 owns these files and needs no capability for them.
func TestRootHidesWhatOnlyRootMayRead(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.refused("cat /etc/shadow", "Permission denied")
		b.refused("ls /etc/ssl/private", "Permission denied")
		b.run("cat /etc/passwd /etc/group > /dev/null")
	})
}

// A program named in core_pattern is run by the kernel, outside of everything.
func TestRootLeavesTheKernelsSettingsAlone(t *testing.T) {
	t.Parallel()
	long.Test(t)
	eachRoot(t, func(t *testing.T, b *rootBench) {
		for _, runner := range []bool{false, true} {
			b.job.Runner = runner
			for _, f := range []string{
				"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger", "/proc/self/oom_score_adj",
				"/sys/kernel/mm/transparent_hugepage/enabled", "/sys/devices/system/cpu/cpu0/online",
			} {
				why := "Read-only file system"
				if os.Geteuid() != 0 {
					why = "cannot create" // permissions come first
				}
				if _, err := os.Stat(f); err == nil {
					b.refused(": >> "+f, why)
				}
			}
			for _, f := range []string{"kallsyms", "kmsg", "keys", "timer_list"} {
				b.refused("cat /proc/"+f, "Permission denied")
			}
		}
	})
}

func TestRootHasItsOwnRunAndTmp(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		marker, err := os.MkdirTemp("/var/tmp", "marker-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(marker)
		b.refused("ls "+marker, "No such file")
		name := filepath.Base(marker)
		b.run("for d in /tmp /var/tmp /dev/shm /run; do echo x > $d/" + name + " || exit 1; done")
		for _, d := range []string{"/tmp", "/dev/shm", "/run"} {
			if _, err := os.Lstat(filepath.Join(d, name)); err == nil {
				t.Errorf("%s/%s is on the host", d, name)
			}
		}
		if out := b.run("find /run ! -type d; ls -A /dev/shm; test ! -e $OUT || echo $OUT"); out != "" {
			t.Errorf("of the host: %s", out)
		}
	})
}

func TestRootHasItsOwnHome(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.file("user/notes", "private")
		if out := b.run(`ls -A "$HOME"; echo x > "$HOME/f"; echo y > "$WS/g"`); out != "" {
			t.Errorf("the home holds %s", out)
		}
		for f, want := range map[string]string{"state/box/home/f": "x\n", "ws/g": "y\n", "user/notes": "private"} {
			if got, err := os.ReadFile(filepath.Join(b.dir, f)); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v", f, got, err)
			}
		}
	})
}

// A grant that lies in the real home's place is found there, and nothing beside it.
func TestRootShowsGrantsInTheHome(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newRootBench(t)
		b.mkdir("user/go/pkg/mod")
		b.mkdir("user/src/project")
		b.file("user/go/token", "secret")
		b.file("user/.gitconfig", "[user]")
		b.job.Policy.Readable = append(b.job.Policy.Readable, filepath.Join(b.userHome, "go/pkg/mod"), filepath.Join(b.userHome, ".gitconfig"))
		b.job.Policy.Writable = append(b.job.Policy.Writable, filepath.Join(b.userHome, "src/project"))
		if out := b.run(`cd && find . -mindepth 1 | sort && touch src/project/made && cat .gitconfig`); out !=
			"./.gitconfig\n./go\n./go/pkg\n./go/pkg/mod\n./src\n./src/project\n[user]" {
			t.Errorf("the home holds %s", out)
		}
		b.refused("touch ~/go/pkg/mod/x", "Read-only")
		if _, err := os.Lstat(filepath.Join(b.userHome, "src/project/made")); err != nil {
			t.Error(err)
		}
	})
}

func TestRootHidesCredentialsBelowAGrant(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.mkdir("user/.ssh")
		b.mkdir("user/.aws/sso")
		b.mkdir("user/dotfiles")
		b.file("user/.ssh/id", "secret")
		b.file("user/.aws/credentials", "secret")
		b.file("user/.netrc", "secret")
		b.file("user/dotfiles/npmrc", "secret")
		b.file("user/.aws/sso/config", "named")
		b.file("user/plain", "shown")
		if err := os.Symlink("dotfiles/npmrc", filepath.Join(b.userHome, ".npmrc")); err != nil {
			t.Fatal(err)
		}
		b.job.Home = "/run/pillion/home"
		b.job.Policy.Readable = append(b.job.Policy.Readable, b.userHome, filepath.Join(b.userHome, ".aws/sso"))
		if out := b.run(`cd ` + b.userHome + ` && ls -A .ssh && cat .netrc .npmrc dotfiles/npmrc && ls -A .aws && cat .aws/sso/config plain`); out != "sso\nnamedshown" {
			t.Errorf("seen: %s", out)
		}
		b.refused("touch "+b.userHome+"/.aws/x", "Read-only")
	})
}

// Our own state is in no root, whatever was granted.
func TestRootHidesOurState(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.file("state/box/tmp/other", "of another sandbox")
		b.job.Policy.Writable = append(b.job.Policy.Writable, b.dir)
		b.refused("ls "+b.state, "Permission denied")
		b.run("test -d $OUT && touch $HOME/x")
	})
}

// A chroot below a writable root has a /proc and a /sys: through them others are
// seen, and uid 0 writes to the kernel.
func TestRootHidesKernelViewsBelowAGrant(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.mkdir("ws/chroot/proc")
		b.mkdir("ws/chroot/sys")
		b.job.Prepare = [][2]string{{"proc", filepath.Join(b.ws, "chroot/proc")}, {"sysfs", filepath.Join(b.ws, "chroot/sys")}}
		b.refused("cat $WS/chroot/proc/version", "Permission denied")
		b.refused("ls $WS/chroot/sys", "Permission denied")
	})
}

// What can be put in place of a granted folder must not widen the grant.
func TestRootFollowsNoLinkOfTheWorkspace(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newRootBench(t)
		b.mkdir("out/inner")
		if err := os.Symlink(b.out, filepath.Join(b.ws, "l")); err != nil {
			t.Fatal(err)
		}
		for _, grant := range []string{"l", "l/inner"} {
			job := b.job
			job.Policy.Readable = []string{filepath.Join(b.ws, grant)}
			if out, err := b.try(job); err == nil || !strings.Contains(out, "symbolic link to "+b.out) {
				t.Errorf("%s: %v %s", grant, err, out)
			}
		}
	})
}

// The same between deciding and doing.
func TestRootFollowsNoLinkThatAppearsWhileItIsBuilt(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		for _, of := range []string{"", "/etc"} {
			b := newRootBench(t)
			b.mkdir("other/etc")
			b.job.Policy.Readable = append(b.job.Policy.Readable, filepath.Join(b.dir, "other"+of))
			b.job.Swap = filepath.Join(b.dir, "other")
			if out, err := b.try(b.job); err == nil || !strings.Contains(out, "mount step read "+b.dir+"/other"+of+": open ") {
				t.Errorf("%v %s", err, out)
			}
		}
	})
}

// A toolchain on another disk is found where the link is and where it leads.
func TestRootShowsALinkOfTheHome(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.mkdir("tool/bin")
		b.file("tool/bin/x", "works")
		if err := os.Symlink(filepath.Join(b.dir, "tool"), filepath.Join(b.userHome, ".tool")); err != nil {
			t.Fatal(err)
		}
		b.job.Home = b.userHome
		if b.job.Policy.Reads == ReadsAll {
			b.job.Home = "/run/pillion/home"
		}
		b.job.Policy.Readable = append(b.job.Policy.Readable, filepath.Join(b.userHome, ".tool"))
		if out := b.run("cat " + b.userHome + "/.tool/bin/x " + b.dir + "/tool/bin/x"); out != "worksworks" {
			t.Error(out)
		}
	})
}

// What the host mounts later would come with the host's flags, writable, below
// what is read-only here.
func TestRootTakesNoMountsFromTheHost(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.job.Shared = true
		for _, m := range b.mounts() {
			if m.tags != "" {
				t.Errorf("%s is passed on: %s", m.at, m.tags)
			}
		}
	})
}

// Nothing can be mounted, unmounted or made writable again from inside.
func TestRootStaysAsItWasBuilt(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		for _, script := range []string{
			"umount /proc", "umount /dev/null", "mount -t tmpfs x /mnt", "mount -o remount,rw,bind /usr", "mkdir /new", "touch /dev/new", "mknod /tmp/n c 1 3",
		} {
			b.refused(script+" 2>&1 || { echo refused; false; }", "refused")
		}
		if out := b.run("ls -ia / | awk '$2 == \".\" || $2 == \"..\" {print $1}' | uniq | wc -l"); strings.TrimSpace(out) != "1" {
			t.Errorf("there is something above /: %s", out)
		}
	})
}

// The host doesn't see it, neither while it runs nor afterwards.
func TestRootLeavesNothingOnTheHost(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		before, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		b.run("touch /tmp/x ~/x")
		after, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		if string(before) != string(after) {
			t.Errorf("mounts before:\n%s\nafter:\n%s", before, after)
		}
		var left []string
		for _, dir := range []string{b.dir, b.ws, b.out, b.state, b.job.Dir} {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				left = append(left, e.Name())
			}
		}
		if !slices.Equal(left, []string{"out", "state", "user", "ws", "keep", "box", "home", "resolv.conf", "tmp"}) {
			t.Errorf("left: %v", left)
		}
	})
}

// A program of the host that saves a file by renaming another over it takes the mount on
// it away, in every namespace. It is not reported; it can only be looked for.
func TestRootNoticesWhatIsNoLongerHidden(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newRootBench(t)
		for _, f := range []string{".netrc", ".npmrc", ".pypirc", ".saved"} {
			b.file("user/"+f, "secret")
		}
		b.mkdir("user/.ssh")
		b.job.Home = "/run/pillion/home"
		b.job.Policy.Readable = append(b.job.Policy.Readable, b.userHome)
		b.job.Lost = true
		cmd := b.command(b.job)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 10000 {
			if _, err := os.Stat(filepath.Join(b.ws, "ready")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if err := os.Rename(filepath.Join(b.userHome, ".saved"), filepath.Join(b.userHome, ".netrc")); err != nil {
			t.Error(err)
		}
		if err := os.Remove(filepath.Join(b.userHome, ".pypirc")); err != nil {
			t.Error(err)
		}
		b.file("ws/go", "")
		if err := cmd.Wait(); err != nil || strings.TrimSpace(out.String()) != "1 "+filepath.Join(b.userHome, ".netrc")+" 0" {
			t.Errorf("%v: %s", err, out.String())
		}
	})
}
