package users

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Again is another run of this test binary, by another user or with something that takes a
// part of the kernel away. The tests that ask for it run in one process, after all others:
// each process tests its sandbox first, which takes longer than most tests.
type Again struct {
	Name    string // of the run, in what is printed
	UID     int
	Args    []string // of the binary, before its flags
	Env     func(dir string) []string
	Prepare func(dir string) error // makes more of what it needs in its directory
}

var again struct {
	sync.Mutex
	runs  []Again
	tests map[string][]string
}

// Later lets the calling test, whole, be one of those of another run.
func Later(t *testing.T, a Again) {
	test, _, _ := strings.Cut(t.Name(), "/")
	again.Lock()
	defer again.Unlock()
	if again.tests == nil {
		again.tests = map[string][]string{}
	}
	if again.tests[a.Name] == nil {
		again.runs = append(again.runs, a)
	}
	if !slices.Contains(again.tests[a.Name], test) {
		again.tests[a.Name] = append(again.tests[a.Name], test)
	}
}

// M is a testing.M that ends with the other runs.
type M struct{ M interface{ Run() int } }

// Run runs the package's tests, and then those that asked for another run.
func (m M) Run() int {
	code := m.M.Run()
	for _, a := range again.runs { // not at once: a fork bomb in each brought a machine to a halt
		if err := a.run(again.tests[a.Name]); err != nil {
			fmt.Println(err)
			code = max(code, 1)
		}
	}
	return code
}

func (a Again) run(tests []string) error {
	dir, err := os.MkdirTemp("/var/tmp", "pn-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	exe, err := a.prepare(dir)
	if err != nil {
		return fmt.Errorf("--- FAIL: %s: %w", a.Name, err)
	}
	out, err := a.output(exe, dir, tests)
	if missing := notPassed(out, tests); err != nil || len(missing) > 0 {
		return fmt.Errorf("--- FAIL: %s: %w, not passed: %s\n%s", a.Name, err, strings.Join(missing, " "), failures(out))
	}
	if testing.Verbose() {
		for _, line := range results().FindAllString(out, -1) {
			fmt.Printf("    %s as %s\n", line, a.Name)
		}
	}
	return nil
}

// prepare makes what the user can run and write to: where the toolchain has put the
// binary, only the one who called it may look.
func (a Again) prepare(dir string) (exe string, err error) {
	exe = filepath.Join(dir, filepath.Base(os.Args[0]))
	if err = CopyOfUs(exe); err != nil {
		return "", err
	}
	for _, d := range []string{dir, filepath.Join(dir, "t")} {
		if err = os.MkdirAll(d, 0o755); err == nil {
			err = os.Chown(d, a.UID, a.UID)
		}
		if err == nil {
			err = os.Chmod(d, 0o755)
		}
		if err != nil {
			return "", err
		}
	}
	if a.Prepare != nil {
		err = a.Prepare(dir)
	}
	return exe, err
}

// deadline is that of this run, where it is a longer one: a search with chance asks for it.
func deadline() time.Duration {
	given, _ := time.ParseDuration(flag.Lookup("test.timeout").Value.String())
	return max(given, 30*time.Minute)
}

func (a Again) output(exe, dir string, tests []string) (string, error) {
	args := append(slices.Clone(a.Args), "-test.v", "-test.timeout="+deadline().String(), "-test.run=^("+strings.Join(tests, "|")+")$")
	for _, arg := range os.Args[1:] {
		if slices.ContainsFunc([]string{"-test.short", "-test.count", "-test.parallel"}, func(f string) bool { return strings.HasPrefix(arg, f) }) {
			args = append(args, arg)
		}
	}
	if a.UID != 0 { // the kernel bounds no others
		args = append([]string{"--nproc=" + mostTasks, exe}, args...)
		exe = "prlimit"
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = []string{"TMPDIR=" + filepath.Join(dir, "t"), "HOME=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
	cmd.Env = append(cmd.Env, inherited()...)
	cmd.Env = append(cmd.Env, a.Env(dir)...)
	if a.UID != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.UID)}}
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// mostTasks bounds what a fork bomb of a test can become, should nobody end it: with
// 25,000 processes that wait for one lock of the kernel, the machine stood still for
// minutes. prlimit(1)
const mostTasks = "6000"

// inherited are the variables that say what to test.
func inherited() (env []string) {
	for _, name := range []string{"PILLION_REQUIRE", "PILLION_ROUNDS", "PILLION_SEED", "GORACE"} {
		if v, set := os.LookupEnv(name); set {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// CopyOfUs makes a copy of this program.
func CopyOfUs(path string) error {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	syscall.ForkLock.RLock() // who is forked meanwhile would keep the file open for writing
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, self, 0o755)
}

var results = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^--- (PASS|SKIP): \w+ \([0-9.]+s\)`)
})

func notPassed(out string, tests []string) (missing []string) {
	for _, test := range tests {
		if !strings.Contains(out, "--- PASS: "+test+" ") && !strings.Contains(out, "--- SKIP: "+test+" ") {
			missing = append(missing, test)
		}
	}
	return missing
}

var (
	failed  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`) })
	current = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^=== [A-Z]+ +(\S+)`) })
)

// failures leaves out what tests said that passed: a report is cut where it is long.
// Where none failed, or the process did not end by itself, it leaves out names only.
func failures(out string) string {
	names := map[string]bool{}
	for _, m := range failed().FindAllStringSubmatch(out, -1) {
		names[m[1]] = true
	}
	whole := len(names) == 0 || strings.Contains(out, "\npanic: ") || strings.Contains(out, "DATA RACE")
	var keep []string
	of := ""
	for line := range strings.Lines(out) {
		if m := current().FindStringSubmatch(line); m != nil {
			of = m[1]
			continue
		}
		if !strings.Contains(line, "--- PASS") && (whole || names[of] || failed().MatchString(line)) {
			keep = append(keep, line)
		}
	}
	return strings.Join(keep, "")
}
