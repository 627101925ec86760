package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/limits"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
	"github.com/pillion-sidecar/pillion/test/long"
)

// onRungs runs a test with small limits on the machine's rung and on the one below
// namespaces, as every user.
func onRungs(t *testing.T, l Limits, f func(b *bench)) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		b.policy.Limits = l
		for _, rung := range slices.Compact([]string{b.m.Tested().Rung, RungNoUserns}) {
			t.Run(rung, func(t *testing.T) {
				b.t = t
				o := b.m.opts
				o.group = b.m.whole.found.group
				box, err := openBox(o, rung, b.policy, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { box.close(true) })
				b.box = &Sandbox{policy: b.policy, box: box}
				f(b)
			})
		}
	})
}

const mib = 1 << 20

func TestNoCoreIsDumped(t *testing.T) {
	onRungs(t, Limits{}, func(b *bench) {
		if o := b.sh("ulimit -c; ulimit -Hc"); o.out != "0\n0\n" {
			b.t.Errorf("%q", o.out)
		}
	})
}

func TestOpenFilesAreLimited(t *testing.T) {
	onRungs(t, Limits{OpenFiles: 200}, func(b *bench) {
		if o := b.sh("ulimit -n; ulimit -Hn"); o.out != "200\n200\n" {
			b.t.Errorf("%q", o.out)
		}
		if o := b.run("/bin/bash", "-c", "exec 250</dev/null"); o.status.Code == 0 {
			b.t.Errorf("descriptor 250 was opened: %+v", o)
		}
	})
}

func TestOpenFilesCannotBeRaised(t *testing.T) {
	onRungs(t, Limits{OpenFiles: 200}, func(b *bench) {
		if o := b.sh("ulimit -Hn 400 && echo raised"); strings.Contains(o.out, "raised") {
			b.t.Errorf("%+v", o)
		}
	})
}

func TestKernelTakesTheCommandFirst(t *testing.T) {
	onRungs(t, Limits{}, func(b *bench) {
		if o := b.sh("cat /proc/self/oom_score_adj"); o.out != "1000\n" {
			b.t.Errorf("%q", o.out)
		}
		if o := b.sh("echo 0 > /proc/self/oom_score_adj && echo lowered"); strings.Contains(o.out, "lowered") {
			b.t.Errorf("%+v", o)
		}
	})
}

// A command that takes all memory could else have its runner killed, and what
// watches over its repositories with it.
func TestTheKernelTakesTheRunnerNoSoonerThanUs(t *testing.T) {
	onRungs(t, Limits{}, func(b *bench) {
		p, out := b.start("/bin/sleep", "0.3")
		defer out.Close()
		of := func(pid int) string {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
			must(b.t, err)
			return string(text)
		}
		if runner, ours := of(p.runner.host), of(os.Getpid()); runner != ours || of(p.Pid()) != "1000\n" {
			b.t.Errorf("the runner's %q, ours %q, the command's %q", runner, ours, of(p.Pid()))
		}
		_, err := p.Wait()
		must(b.t, err)
		_, err = p.End(false)
		must(b.t, err)
	})
}

func TestFileOverTheLimitNamesIt(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{FileSize: 64 * mib}, func(b *bench) {
		o := b.run("dd", "if=/dev/zero", "of=big", "bs=1M", "count=100")
		if o.status.Limit != LimitFileSize || len(o.seen) != 1 || o.seen[0].Grant != "limits.maxFileBytes" || o.seen[0].Process != "dd" {
			b.t.Errorf("%+v", o)
		}
		st, err := os.Stat(filepath.Join(b.ws, "big"))
		if err != nil || st.Size() > 64*mib {
			b.t.Errorf("%v %v", st, err)
		}
		if o := b.sh("dd if=/dev/zero of=big bs=1M count=100; exit $?"); o.limit != LimitFileSize || o.status.Code != 153 ||
			len(o.seen) != 1 || o.seen[0].Attribution != AttributionInferred {
			b.t.Errorf("behind a shell: %+v", o)
		}
		// A process nobody waited for; the command itself has ended well.
		const nobody = "rm big; (setsid dd if=/dev/zero of=big bs=1M count=100 &) ; until [ -e big ] && [ $(stat -c %s big) -ge 67108864 ]; do sleep 0.05; done; sleep 0.3; echo done"
		if o := b.sh(nobody); o.limit != "" || o.status.Code != 0 || len(o.seen) != 1 {
			b.t.Errorf("in the background: %+v", o)
		}
		if o := b.sh("echo fine > small"); o.status != (ExitStatus{User: o.status.User, System: o.status.System, MaxRSS: o.status.MaxRSS}) {
			b.t.Errorf("the next command: %+v", o)
		}
	})
}

func TestMemoryOverTheLimitNamesIt(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{Memory: 256 * mib}, func(b *bench) {
		o := b.sh("head -c 600m /dev/zero | tail; echo survived")
		if o.limit != LimitMemory || o.status.Signal == 0 || strings.Contains(o.out, "survived") {
			b.t.Errorf("%+v", o)
		}
		if len(o.seen) != 1 || o.seen[0].Op != "allocate" || o.seen[0].Attribution != AttributionReported {
			b.t.Errorf("%+v", o.seen)
		}
	})
}

func TestMemoryUnderTheLimitIsLeftAlone(t *testing.T) {
	t.Parallel()
	onRungs(t, Limits{Memory: 256 * mib}, func(b *bench) {
		if o := b.sh("head -c 100m /dev/zero | tail -c 100m | wc -c"); o.out != fmt.Sprintln(100*mib) || o.limit != "" {
			b.t.Errorf("%+v", o)
		}
	})
}

// Four processes of one 100 MiB heap are 100 MiB, not 500.
func TestSharedMemoryCountsOnce(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{Memory: 250 * mib}, func(b *bench) {
		o := b.run("perl", "-e", `my $x = "x" x (100<<20); for (1..4) { fork or do { select undef,undef,undef,0.5; exit } } 1 while wait > 0; print "done"`)
		if o.out != "done" || o.limit != "" {
			b.t.Errorf("%+v", o)
		}
	})
}

// A program whose first thread ends looks empty in /proc, and the rest of it goes
// on taking memory.
func TestMemoryBehindADeadFirstThreadCounts(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{Memory: 256 * mib}, func(b *bench) {
		if o := b.helper("helper-headless"); o.limit != LimitMemory {
			b.t.Errorf("%+v", o)
		}
	})
}

func TestTooMuchTimeNamesIt(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{CPU: 100 * time.Millisecond}, func(b *bench) {
		if o := b.sh("while :; do :; done"); o.limit != LimitCPU || o.status.Signal == 0 {
			b.t.Errorf("%+v", o)
		}
		// Children that are over count, too: none of these takes long by itself.
		began := time.Now()
		if o := b.run("/bin/bash", "-c", "while :; do (for ((i=0;i<2000;i++)); do :; done); done"); o.limit != LimitCPU || time.Since(began) > 20*time.Second {
			b.t.Errorf("%+v", o)
		}
		if o := b.sh("sleep 0.3"); o.limit != "" {
			b.t.Errorf("sleeping: %+v", o)
		}
	})
}

// The floor is above what any disk has, so half of what was free is the bound, and
// a command that writes little goes on.
func TestFullDiskDoesNotEndWhatWritesLittle(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{FreeDisk: 1 << 60}, func(b *bench) {
		if o := b.sh("echo x > f; sleep 0.5; cat f"); o.out != "x\n" || o.limit != "" {
			b.t.Errorf("%+v", o)
		}
	})
}

func TestDaemonsBelowTheLimitWork(t *testing.T) {
	t.Parallel()
	onRungs(t, Limits{Processes: 400}, func(b *bench) {
		o := b.sh("for i in $(seq 150); do (setsid sleep 97001 &) ; done; echo done")
		if o.out != "done\n" || len(o.left) < 140 || o.limit != "" {
			b.t.Errorf("%d left, %+v", len(o.left), o.status)
		}
		if left := alive("97001"); len(left) > 0 {
			b.t.Errorf("alive: %d", len(left))
		}
	})
}

// First the bounded form: it must hold before a bomb is tried.
func TestProcessesAboveTheLimitEndTheTree(t *testing.T) {
	t.Parallel()
	onRungs(t, Limits{Processes: 64}, func(b *bench) {
		most := fewest(b, "97002")
		o := b.sh("i=0; while [ $i -lt 1000 ]; do sleep 97002 & i=$((i+1)); done; sleep 97002")
		if o.limit != LimitProcesses || len(o.seen) != 1 || o.seen[0].Op != "fork" {
			b.t.Errorf("%+v", o)
		}
		if n := most(); n > 1000 {
			b.t.Errorf("%d processes at once", n)
		}
	})
}

// On a kernel that counts per namespace the limit is its own, never the machine's.
func TestMachineKeepsItsProcessLimit(t *testing.T) {
	const file = "/proc/sys/kernel/pid_max"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	onRungs(t, Limits{Processes: 64}, func(b *bench) {
		want := string(before)
		if b.box.box.conf.Namespaced() && limits.OwnPidMax(proc.KernelRelease()) {
			want = fmt.Sprintln(limits.PIDMaxFor(64))
		}
		if o := b.sh("cat " + file); o.out != want {
			b.t.Errorf("inside %q, want %q", o.out, want)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != string(before) {
			b.t.Errorf("the machine's was %q, is %q, %v", before, now, err)
		}
	})
}

// A program that is refused a fork and gets along with it ends as it likes; that it
// was refused is said all the same.
func TestRefusedForkIsReported(t *testing.T) {
	onRungs(t, Limits{Processes: 64}, func(b *bench) {
		const script = `pipe my $r, my $w; for (1..1000) { my $p = fork; last unless defined $p; if (!$p) { close $w; <$r>; exit } } select undef,undef,undef,0.3; close $w; 1 while wait > 0; print "done"`
		o := b.run("perl", "-e", script)
		for again := 0; o.limit != "" && again < 5; again++ { // it stood at the limit while nothing went on
			o = b.run("perl", "-e", script)
		}
		held := b.box.box.conf.Namespaced() && limits.OwnPidMax(proc.KernelRelease())
		switch {
		case b.box.box.group != "": // the kernel tells
			if o.limit != "" || len(o.seen) != 1 || o.seen[0].Attribution != AttributionReported || o.seen[0].Grant != "limits.maxProcesses" {
				b.t.Errorf("%+v", o)
			}
		case held && (o.limit != "" || len(o.seen) != 1 || o.seen[0].Attribution != AttributionInferred || o.seen[0].Grant != "limits.maxProcesses"):
			b.t.Errorf("%+v", o)
		case !held && o.limit != LimitProcesses:
			b.t.Errorf("%+v", o)
		}
	})
}

func TestForkBombIsContained(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{Processes: 64}, func(b *bench) {
		// A machine that runs this test on a broken limit must not pay for it: the
		// bounded form first, and a bomb that stops by itself.
		if o := b.sh("i=0; while [ $i -lt 200 ]; do sleep 97003 & i=$((i+1)); done; sleep 97003"); o.limit != LimitProcesses {
			b.t.Fatalf("no limit holds: %+v", o.status)
		}
		for range 2 { // the second one in a namespace that has used up its numbers once
			began := time.Now()
			o := b.run("/bin/bash", "-c", ":(){ ((SECONDS < 5)) && :|:& };:; sleep 20")
			if o.limit != LimitProcesses {
				b.t.Errorf("%+v", o)
			}
			if took := time.Since(began); took > 10*time.Second {
				b.t.Errorf("it took %v", took)
			}
		}
		if o := b.sh("echo alive"); o.out != "alive\n" || o.limit != "" {
			b.t.Errorf("the next command: %+v", o)
		}
	})
}

// fewest samples how many processes with a word in their command line are alive.
func fewest(b *bench, word string) (most func() int) {
	done, result := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-done:
				result <- n
				return
			case <-time.After(50 * time.Millisecond):
				n = max(n, len(alive(word)))
			}
		}
	}()
	return func() int { close(done); return <-result }
}

// headless lets its first thread end and goes on taking memory, up to a bound
// should nothing stop it.
func headless() int {
	go func() {
		var hoard [][]byte
		for range 100 {
			b := make([]byte, 10*mib)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			hoard = append(hoard, b)
			time.Sleep(5 * time.Millisecond)
		}
		fmt.Println(len(hoard))
		os.Exit(0)
	}()
	syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0) // of this thread only
	return 1
}

func init() {
	if len(os.Args) > 1 && os.Args[1] == "helper-headless" {
		runtime.LockOSThread() // the first thread is the one that must end
	}
}

// Setting a length is not a write: the call fails, also when the broker does it for the command.
func TestLengthOverTheLimitIsRefused(t *testing.T) {
	onRungs(t, Limits{FileSize: 64 * mib}, func(b *bench) {
		for range 2 { // the runner is the same, and must have survived the signal
			o := b.run("perl", "-e", `$SIG{XFSZ} = "IGNORE"; open my $f, ">", "long"; truncate("long", 100 << 20) and print "done"; print $!+0`)
			if o.out != fmt.Sprint(int(syscall.EFBIG)) || o.limit != "" {
				b.t.Errorf("%+v", o)
			}
		}
	})
}

// What lies in the sandbox's own file systems in memory is memory, mapped or not.
func TestFilesInMemoryCount(t *testing.T) {
	t.Parallel()
	long.Test(t)
	onRungs(t, Limits{Memory: 256 * mib}, func(b *bench) {
		if !b.box.box.conf.Namespaced() {
			return // there are none: /tmp is a directory on the disk, and /dev/shm is missing
		}
		for _, dir := range []string{"/dev/shm", "/tmp"} {
			if o := b.sh("head -c 400m /dev/zero > " + dir + "/f; sleep 5; echo survived"); o.limit != LimitMemory || o.out != "" {
				b.t.Errorf("%s: %+v", dir, o)
			}
			// It is still there. The next command didn't write it, and may remove it.
			if o := b.sh("test -s " + dir + "/f; sleep 0.4; rm " + dir + "/f && echo fine"); o.out != "fine\n" || o.limit != "" {
				b.t.Errorf("%s, the next command: %+v", dir, o)
			}
		}
	})
}

func TestSharedSegmentsCount(t *testing.T) {
	onRungs(t, Limits{Memory: 128 * mib}, func(b *bench) {
		if !b.box.box.conf.Namespaced() {
			return // System V shared memory is refused there
		}
		o := b.run("perl", "-e", `my $id = shmget(0, 200 << 20, 0600); shmwrite($id, "x" x (1 << 20), $_ << 20, 1 << 20) for 0..199; sleep 5; print "survived"`)
		if o.limit != LimitMemory {
			b.t.Errorf("%+v", o)
		}
	})
}

// A file in memory that has no name and is not mapped is in no process's account in /proc.
func TestNamelessFilesInMemoryCount(t *testing.T) {
	onRungs(t, Limits{Memory: 128 * mib}, func(b *bench) {
		if o := b.helper("helper-memfd"); o.limit != LimitMemory {
			b.t.Errorf("%+v", o)
		}
	})
}

func TestSharedSegmentsEndWithTheirCommand(t *testing.T) {
	onRungs(t, Limits{}, func(b *bench) {
		if !b.box.box.conf.Namespaced() {
			return // there are none
		}
		p, r := b.start("perl", "-e", `$| = 1; my $id = shmget(0, 4096, 0600); print "made\n"; sleep 60; print $id`)
		defer r.Close()
		if n, err := r.Read(make([]byte, 5)); n != 5 || err != nil {
			b.t.Fatal(n, err)
		}
		const ids = "awk 'NR > 1' /proc/sysvipc/shm | wc -l"
		for range 2 { // another command's segments come and go, the first one's stays
			if o := b.run("perl", "-e", `shmget(0, 4096, 0600) // die; system($ARGV[0])`, ids); o.out != "2\n" {
				b.t.Errorf("%+v", o)
			}
		}
		_ = p.Kill()
		_, _ = p.Wait()
		_, _ = p.End(false)
		if o := b.sh(ids); o.out != "0\n" {
			b.t.Errorf("left: %+v", o)
		}
	})
}

// Semaphores are memory of the kernel that no look sees, and an IPC namespace lets
// 32,000 sets have as many each: 64 GB.
func TestSetsOfSemaphoresAreSmall(t *testing.T) {
	onRungs(t, Limits{Memory: 128 * mib}, func(b *bench) {
		if !b.box.box.conf.Namespaced() {
			return // there are none
		}
		o := b.run("perl", "-e", `my $n = 0; for (1 .. 400) { defined semget(0, 32000, 0600) or last; $n++ } print "$n "; print defined semget(0, 255, 0600) ? "small" : "none"`)
		if o.out != "0 small" {
			b.t.Errorf("sets of 32,000, and of 255: %+v", o)
		}
	})
}

// hoardNameless fills a file that only its descriptor knows, up to a bound.
func hoardNameless() int {
	fd, err := unix.MemfdCreate("x", 0)
	if err != nil {
		return 2
	}
	b := make([]byte, mib)
	for range 300 {
		if _, err := unix.Write(fd, b); err != nil {
			return 2
		}
	}
	time.Sleep(5 * time.Second)
	return 0
}
