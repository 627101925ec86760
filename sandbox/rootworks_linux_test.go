package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/mounts"
)

// rootMount is one line of the inside's mountinfo.
type rootMount struct {
	at, kind, tags string
	flags          []string
}

func (b *rootBench) mounts() []rootMount {
	b.t.Helper()
	var all []rootMount
	sc := bufio.NewScanner(strings.NewReader(b.run("cat /proc/self/mountinfo")))
	for sc.Scan() {
		before, after, _ := strings.Cut(sc.Text(), " - ")
		f, kind := strings.Fields(before), strings.Fields(after)
		all = append(all, rootMount{at: f[4], kind: kind[0], flags: strings.Split(f[5], ","), tags: strings.Join(f[6:], " ")})
	}
	return all
}

func (m rootMount) has(flag string) bool { return slices.Contains(m.flags, flag) }

// The kernel's own list: what can be written is what the plan says, nothing
// gains rights by a file's mode, and nothing comes or goes with the host.
func TestRootMountsAreWhatTheyShouldBe(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		want := []string{
			"/dev/pts", "/dev/shm", "/run", "/tmp", b.ws, "/var/tmp", mounts.PrivateHome(b.job.Policy.Reads, b.userHome),
		}
		var writable []string
		for _, m := range b.mounts() {
			if !m.has("ro") {
				writable = append(writable, m.at)
			}
			if !m.has("nosuid") {
				t.Errorf("%s: set-id bits count there: %v", m.at, m.flags)
			}
			if !m.has("nodev") && (!m.has("noexec") || filepath.Dir(m.at) != "/dev") {
				t.Errorf("%s: device files work there: %v", m.at, m.flags)
			}
			if m.tags != "" {
				t.Errorf("%s: follows the host: %s", m.at, m.tags)
			}
		}
		slices.Sort(want)
		slices.Sort(writable)
		if !slices.Equal(writable, want) {
			t.Errorf("writable: %v, want %v", writable, want)
		}
	})
}

// What the host has mounted in a workspace (a volume, another disk) belongs to it.
func TestRootShowsSubmountsOfTheWorkspace(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.mkdir("ws/volume")
		b.job.Prepare = [][2]string{{"tmpfs", filepath.Join(b.ws, "volume")}}
		b.run(`grep "$WS/volume tmpfs rw,nosuid,nodev" /proc/mounts && touch "$WS/volume/x"`)
	})
}

// Every mount costs each runner, so there must not be one per file or folder.
func TestRootMountsDoNotGrowWithTheWorkspace(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newRootBench(t)
		before := len(b.mounts())
		for i := range 50 {
			b.mkdir(fmt.Sprintf("ws/p%d/.git/hooks", i))
		}
		if after := len(b.mounts()); after != before || after > 96 {
			t.Errorf("%d mounts, then %d", before, after)
		}
	})
}

func TestRootPlansAreEqual(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		b.job.Plan = true
		if one, two := b.run(""), b.run(""); one != two || !strings.Contains(one, "proc /proc") {
			t.Errorf("%s\nthen\n%s", one, two)
		}
	})
}

func TestRootHasExactlyTheseDevices(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		want := "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero"
		if _, err := os.Lstat("/dev/tty"); err != nil {
			want = strings.Replace(want, "tty ", "", 1)
		}
		if out := b.run("echo $(ls -A /dev) && ls -A /dev/pts | grep -v ptmx; ls -A /dev/shm"); out != want {
			t.Errorf("/dev holds %s", out)
		}
		b.run("head -c 8 /dev/urandom > /dev/null && : > /dev/zero && echo x | cat /dev/stdin > /dev/fd/1")
		b.refused("chmod 600 /dev/null", "Read-only")
		b.refused("dd if=/dev/zero of=/dev/full count=1", "No space left")
	})
}

func TestRootOpensTerminals(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		if out := b.run(`"$EXE" helper-root-terminal`); out != `"through\r\n"` {
			t.Error(out)
		}
	})
}

// Each runner sees its own processes, and not the holder's below them.
func TestRunnerHasItsOwnProc(t *testing.T) {
	eachRoot(t, func(t *testing.T, b *rootBench) {
		holder := len(b.mounts())
		b.job.Runner = true
		if out := b.run("echo $$ && ls -d /proc/[0-9]* | wc -l && cat /proc/1/comm"); !strings.HasPrefix(out, "1\n") || !strings.HasSuffix(out, "\nsh") {
			t.Error(out)
		}
		if runner := len(b.mounts()); runner != holder {
			t.Errorf("%d mounts in the holder, %d in the runner", holder, runner)
		}
	})
}

// All temporary files share one limit; on disk they are in the private directory.
func TestRootTemporaryFiles(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newRootBench(t)
		out := b.run("stat -f -c '%i %S %b %c' /tmp /var/tmp /dev/shm | uniq; stat -c %a /tmp /var/tmp /dev/shm | uniq")
		lines := strings.Split(out, "\n")
		if len(lines) != 2 || lines[1] != "1777" {
			t.Fatal(out)
		}
		f := strings.Fields(lines[0])
		block, _ := strconv.ParseInt(f[1], 10, 64)
		n, _ := strconv.ParseInt(f[2], 10, 64)
		if size := block * n; size <= 0 || size > 4<<30 || f[3] != "1048576" {
			t.Errorf("size %d, inodes %s", size, f[3])
		}
		b.job.TmpDisk = true
		b.run("echo x > /tmp/f && test -f /var/tmp/f && rm /tmp/f && echo y > /var/tmp/g")
		if got, err := os.ReadFile(filepath.Join(b.job.Dir, "tmp/g")); err != nil || string(got) != "y\n" {
			t.Errorf("%q, %v", got, err)
		}
	})
}

func TestRootErrorsNameTheStep(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newRootBench(t)
		if err := os.Remove(filepath.Join(b.job.Dir, "home")); err != nil {
			t.Fatal(err)
		}
		out, err := b.try(b.job)
		if want := "buildRoot: mount step write " + b.userHome + " < " + b.job.Dir + "/home: "; err == nil || !strings.Contains(out, want) {
			t.Errorf("%v %s", err, out)
		}
	})
}

// BenchmarkBuildRoot is the work of a holder's start that mounts are.
func BenchmarkBuildRoot(b *testing.B) {
	t := &testing.T{}
	bench := newRootBench(t)
	defer files.RemoveTree(bench.dir)
	bench.job.Time = true
	var total int
	for b.Loop() {
		out, err := bench.try(bench.job)
		if err != nil {
			b.Fatal(out)
		}
		n, _ := strconv.Atoi(out)
		total += n
	}
	b.ReportMetric(float64(total)/float64(b.N), "µs/root")
}
