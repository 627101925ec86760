package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// room is the host around the checks: a home with secrets, directories outside,
// listeners and a process, and what they looked like before a row.
type room struct {
	*bench
	owner  *testing.T // what lives as long as the room ends with it
	rung   string
	base   string // holds everything below
	ro     string // outside, granted for reading
	linked string // outside; ws/prehl is a hard link to its file
	victim *exec.Cmd
	heard  atomic.Int64      // connections and datagrams that reached the host
	git    *bench            // the same Manager, with a repository as its workspace
	small  *bench            // the same Manager, with small limits
	more   map[string]*bench // the same Manager, with what check.with names
	repo   string
	made   string // what the repository looked like when it was new
}

// theHome is the user's: a room makes its files anew, and would do so below another one.
var theHome sync.Mutex

func newRoom(t *testing.T, rung string) *room {
	t.Helper()
	theHome.Lock()
	t.Cleanup(theHome.Unlock)
	r := &room{owner: t, rung: rung, bench: newBench(t)}
	r.base = filepath.Dir(r.ws)
	r.ro, r.linked, r.repo = filepath.Join(r.base, "ro"), filepath.Join(r.base, "linked"), filepath.Join(r.base, "repo")
	must(t, os.Mkdir(r.repo, 0o755))
	r.furnish()
	r.listen()
	r.policy.Readable = append(r.policy.Readable, r.ro)
	if suid := r.setIDProgram(); suid != "" {
		r.policy.Readable = append(r.policy.Readable, suid)
	}
	git := *r.bench
	git.ws, git.policy.Writable = r.repo, []string{r.repo}
	git.policy.Readable = append(append([]string{}, r.policy.Readable...), r.repo)
	small := *r.bench
	small.policy.Limits = smallLimits
	proxy, socket, host := *r.bench, *r.bench, *r.bench
	proxy.policy.Network = NetworkProxy
	socket.policy.Sockets = []string{r.out + "/granted.sock"}
	host.policy.Network, host.policy.HostPorts = NetworkProxy, []int{grantedPort}
	r.git, r.small, r.more = &git, &small, map[string]*bench{"network": &proxy, "sockets": &socket, "ports": &host}
	exe, err := os.Executable()
	must(t, err)
	leak, err := os.OpenFile(filepath.Join(r.linked, "leak"), os.O_CREATE|os.O_WRONLY, 0o600)
	must(t, err)
	t.Cleanup(func() { _ = leak.Close() })
	fd, err := unix.FcntlInt(leak.Fd(), unix.F_DUPFD, 700) // without close-on-exec, as a careless caller leaves it
	must(t, err)
	t.Cleanup(func() { _ = unix.Close(fd) })
	r.env = append(r.env, "SELF="+exe, "HIDDEN="+r.out, "LEAKFD="+strconv.Itoa(fd), "ESCAPE="+escapeName(),
		"SUID="+r.setIDProgram(), "OTHER="+strconv.Itoa(otherUser()), "POINTER=pointer", "RUNG="+rung, "MARK="+mark())
	small.env, proxy.env, socket.env, host.env = r.env, r.env, r.env, r.env
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mark tells our processes from those of another run on this machine.
func mark() string { return strconv.Itoa(os.Getpid()) }

// escapeName is the file that scripts try to leave in the host's directories.
func escapeName() string { return "pillion-escape-" + mark() }

func otherUser() int {
	if os.Getuid() == 0 {
		return 65534
	}
	return 0
}

// setIDProgram is this binary with the set-id bits of another user, as the launcher laid
// it beside the executable.
func (r *room) setIDProgram() string { return os.Getenv("PILLION_TEST_SETID") }

// furnish makes every file anew, so that mode off can be tried on it too.
func (r *room) furnish() {
	home := realHome()
	for _, d := range []string{r.ws, r.out, r.ro, r.linked, home} {
		old, _ := filepath.Glob(d + "/*") // not the directory: rules and processes hold it
		dots, _ := filepath.Glob(d + "/.[a-z]*")
		for _, path := range append(old, dots...) {
			_ = os.Chmod(path, 0o700)
			files.RemoveTree(path)
		}
	}
	for path, text := range map[string]string{
		home + "/.ssh/id_rsa": "PRIVATE", home + "/.aws/credentials": "PRIVATE", home + "/.netrc": "PRIVATE",
		home + "/.bashrc": "# mine", r.linked + "/leak": "", r.linked + "/file": "mine", r.ws + "/README": "x",
		r.out + "/keep": "keep", r.ro + "/keep": "keep",
	} {
		must(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(r.t, os.WriteFile(path, []byte(text), 0o644))
	}
	for _, d := range []string{r.out + "/empty", r.ro + "/empty", home + "/.gnupg"} {
		must(r.t, os.Mkdir(d, 0o755))
	}
	must(r.t, os.Link(r.linked+"/file", r.ws+"/prehl"))
	if r.victim == nil || !processAlive(r.victim.Process.Pid) {
		r.startVictim()
	}
}

func (r *room) startVictim() {
	r.victim = exec.Command("/bin/sleep", "3600")
	r.victim.Env = []string{"VICTIM_SECRET=1"}
	r.victim.Dir = r.out
	r.victim.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	must(r.t, r.victim.Start())
	v := r.victim
	r.owner.Cleanup(func() { _ = v.Process.Kill(); _ = v.Wait() })
	r.env = append(r.env, "VICTIM="+strconv.Itoa(v.Process.Pid)) // the last one counts
}
