package limits

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/proc"
)

// Meter measures what a runner's tree takes. A command that is over before the first
// look costs nothing.
type Meter struct {
	own     bool        // /proc shows this pid namespace and nothing else
	self    int         // our number in /proc
	Group   *GroupMeter // nil where the kernel doesn't count for us
	busy    func() bool // no answer is needed any more
	scratch []string    // where this sandbox's file systems in memory may be
	disks   []string    // where commands may write
	before  int64       // what lay in them when the command started
	machine int64       // all memory of this kind on the machine then
	cpu     time.Duration
	buf     [8 << 10]byte
}

// NewMeter measures what a runner's commands take. A look ends early once busy says that
// no answer is needed any more.
func NewMeter(c policy.Conf, g *GroupMeter, busy func() bool) *Meter {
	m := &Meter{self: os.Getpid(), Group: g, busy: busy}
	shared, private := c.Roots()
	m.disks = append(shared, private...)
	if c.Namespaced() {
		number, _, _ := strings.Cut(string(m.read("/proc/self/stat")), " ")
		m.self, _ = strconv.Atoi(number)
		if m.own = m.self == os.Getpid(); m.own {
			m.scratch = policy.OwnDirs
		}
	}
	return m
}

// Begin remembers what was there before the command.
func (m *Meter) Begin() {
	m.before = m.scratchUsed()
	m.machine, _ = machineUse()
	m.cpu = reapedTime()
	if m.Group != nil {
		m.Group.begin()
	}
}

// maxExact is how long the memory of a tree may be summed. A tree for which that is not
// enough has thousands of processes, whose number is known already.
const maxExact = time.Second

// Sample looks at the whole tree, and says how many processes there are before it sums
// their memory; ok is false when it gave up.
func (m *Meter) Sample(limits policy.Limits, early func(Usage)) (u Usage, ok bool) {
	if m.own { // a list of names takes a thousandth of what it takes to read of each
		n := m.processes()
		early(Usage{Tasks: n, Free: -1})
		if n >= limits.Processes {
			return u, false // a tree that stays there is ended for it, and to read of each takes seconds
		}
	}
	tree, ok := m.tree(limits.Processes)
	if !ok {
		return u, false
	}
	u.CPU, u.Free = reapedTime()-m.cpu, m.freeDisk()
	for _, p := range tree {
		u.Tasks += p.Threads
		u.CPU += p.CPU
		u.Memory += p.Pages * int64(os.Getpagesize())
	}
	if u.Tasks > limits.Processes && !m.own {
		early(Usage{Tasks: u.Tasks, Free: -1})
		return u, false // it was not looked through
	}
	if m.Group != nil {
		u.Memory = m.Group.used()
		return u, true
	}
	shared := max(m.scratchUsed()-m.before, 0) + m.segmentsUsed()
	u.Memory += shared
	// Swapped memory, and files in memory without a name, are in no process's numbers: the
	// machine's are used until it matters.
	quick := u
	quick.Memory = 0
	files, swap := machineUse()
	if u.Memory+swap+max(files-m.machine, 0) <= limits.Memory {
		return u, true
	}
	early(quick)
	u.Memory, ok = m.exact(tree, shared, limits.Memory)
	if !ok || u.Memory <= limits.Memory {
		return u, ok
	}
	// A child between vfork and exec has its parent's memory, and all of it is
	// counted twice. It is gone in a moment; what is really too much is not.
	time.Sleep(Soonest / 4)
	again, ok := m.exact(tree, shared, limits.Memory)
	u.Memory = min(u.Memory, again)
	return u, ok
}

// exact sums what is really the tree's, or enough of it to be over the limit. A file in
// memory may be mapped as well, and counts once.
func (m *Meter) exact(tree []proc.Process, inFiles, limit int64) (total int64, ok bool) {
	var mapped int64
	seen, late := map[uint64]bool{}, time.Now().Add(maxExact)
	for _, p := range tree {
		switch {
		case total > limit:
			return total, true
		case m.busy() || time.Now().After(late):
			return 0, false
		}
		r := m.resident(p)
		total += r.own
		mapped += r.shared
		inFiles += m.nameless(p, seen)
	}
	return total + max(mapped, inFiles), true
}

func (m *Meter) resident(p proc.Process) resident {
	id := strconv.Itoa(m.living(p))
	if b := m.read("/proc/" + id + "/smaps_rollup"); len(b) > 0 {
		return parseRollup(b)
	}
	return parseStatus(m.read("/proc/" + id + "/status"))
}

// living is a thread of p that still has its memory: a program whose first thread
// has ended looks empty under that one's number, and would hide everything.
func (m *Meter) living(p proc.Process) int {
	if !p.Zombie || p.Threads < 2 {
		return p.PID
	}
	dir := "/proc/" + strconv.Itoa(p.PID) + "/task"
	for _, name := range Names(dir) {
		id, err := strconv.Atoi(name)
		if err != nil || id == p.PID {
			continue
		}
		if t, ok := proc.ParseStat(id, m.read(dir+"/"+name+"/stat")); ok && !t.Zombie {
			return id
		}
	}
	return p.PID
}

// tree lists our descendants, of which more tasks than most are enough: on a busy machine
// a fork bomb grew faster than it was looked through, to 25,000 processes that were not
// reported.
func (m *Meter) tree(most int) (all []proc.Process, ok bool) {
	if m.own {
		return m.everyone()
	}
	tasks := 0
	for queue := []int{m.self}; len(queue) > 0 && tasks <= most; queue = queue[1:] {
		if m.busy() {
			return nil, false
		}
		for _, pid := range proc.Children(queue[0]) {
			if p, ok := m.stat(pid); ok && p.Parent == queue[0] {
				all = append(all, p)
				queue = append(queue, pid)
				tasks += p.Threads
			}
			if tasks > most {
				break
			}
		}
	}
	return all, true
}

// processes counts those of our own pid namespace, but for us.
func (m *Meter) processes() (n int) {
	for _, name := range Names("/proc") {
		if name[0] >= '0' && name[0] <= '9' {
			n++
		}
	}
	return max(n-1, 0)
}

// everyone is the same where no other process is in /proc.
func (m *Meter) everyone() (all []proc.Process, ok bool) {
	for _, name := range Names("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == m.self {
			continue
		}
		if len(all)%64 == 63 && m.busy() {
			return nil, false
		}
		if p, ok := m.stat(pid); ok {
			all = append(all, p)
		}
	}
	return all, true
}

func (m *Meter) stat(pid int) (proc.Process, bool) {
	p, ok := proc.ParseStat(pid, m.read("/proc/"+strconv.Itoa(pid)+"/stat"))
	if !ok || !p.Zombie || p.Threads < 2 {
		return p, ok
	}
	if t, ok := proc.ParseStat(pid, m.read("/proc/"+strconv.Itoa(m.living(p))+"/stat")); ok {
		p.Pages = t.Pages
	}
	return p, true
}

// Names are the entries of a directory.
func Names(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.Readdirnames(-1) // what vanished meanwhile is not missed
	return list
}

// read returns a small file's content until the next read; nil if it has none.
func (m *Meter) read(path string) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, m.buf[:])
	if err != nil {
		return nil
	}
	return m.buf[:n]
}

// reapedTime is the CPU time of everything this process has waited for.
func reapedTime() time.Duration {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &ru); err != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// ThreadTime is what this thread has used of a processor. It does not count the
// time that a look waits for one: a fork bomb makes that long, and with a pause to
// match it would have a second to itself. clock_gettime(2)
func ThreadTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) // fails for unknown clocks only
	return time.Duration(ts.Nano())
}
