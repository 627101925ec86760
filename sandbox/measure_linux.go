package sandbox

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// meter measures what a runner's tree takes. A command that is over before the first
// look costs nothing.
type meter struct {
	own     bool        // /proc shows this pid namespace and nothing else
	self    int         // our number in /proc
	group   *groupMeter // nil where the kernel doesn't count for us
	busy    func() bool // nobody wants to know any more
	scratch []string    // where this sandbox's file systems in memory may be
	disks   []string    // where commands may write
	before  int64       // what lay in them when the command started
	machine int64       // all memory of this kind on the machine then
	cpu     time.Duration
	buf     [8 << 10]byte
}

func newMeter(c conf, g *groupMeter, busy func() bool) *meter {
	m := &meter{self: os.Getpid(), group: g, busy: busy}
	shared, private := c.roots()
	m.disks = append(shared, private...)
	if c.namespaced() {
		number, _, _ := strings.Cut(string(m.read("/proc/self/stat")), " ")
		m.self, _ = strconv.Atoi(number)
		if m.own = m.self == os.Getpid(); m.own {
			m.scratch = ownDirs
		}
	}
	return m
}

// begin remembers what was there before the command.
func (m *meter) begin() {
	m.before = m.scratchUsed()
	m.machine, _ = machineUse()
	m.cpu = reapedTime()
	if m.group != nil {
		m.group.begin()
	}
}

// maxExact is how long the memory of a tree may be summed. A tree for which that is not
// enough has thousands of processes, whose number is known already.
const maxExact = time.Second

// sample looks at the whole tree, and says how many processes there are before it sums
// their memory; ok is false when it gave up.
func (m *meter) sample(limits Limits, early func(usage)) (u usage, ok bool) {
	if m.own { // a list of names takes a thousandth of what it takes to read of each
		n := m.processes()
		early(usage{tasks: n, free: -1})
		if n >= limits.Processes {
			return u, false // a tree that stays there is ended for it, and to read of each takes seconds
		}
	}
	tree, ok := m.tree()
	if !ok {
		return u, false
	}
	u.cpu, u.free = reapedTime()-m.cpu, m.freeDisk()
	for _, p := range tree {
		u.tasks += p.threads
		u.cpu += p.cpu
		u.memory += p.pages * int64(os.Getpagesize())
	}
	if m.group != nil {
		u.memory = m.group.used()
		return u, true
	}
	shared := max(m.scratchUsed()-m.before, 0) + m.segmentsUsed()
	u.memory += shared
	// What was swapped out, and files in memory without a name, are nobody's in
	// these numbers: the machine's stand for them until it matters.
	quick := u
	quick.memory = 0
	files, swap := machineUse()
	if u.memory+swap+max(files-m.machine, 0) <= limits.Memory {
		return u, true
	}
	early(quick)
	u.memory, ok = m.exact(tree, shared, limits.Memory)
	if !ok || u.memory <= limits.Memory {
		return u, ok
	}
	// A child between vfork and exec has its parent's memory, and all of it is
	// counted twice. It is gone in a moment; what is really too much is not.
	time.Sleep(soonest / 4)
	again, ok := m.exact(tree, shared, limits.Memory)
	u.memory = min(u.memory, again)
	return u, ok
}

// exact sums what is really the tree's, or enough of it to be over the limit. What lies in a file system in memory may
// be mapped as well, and counts once.
func (m *meter) exact(tree []procStat, inFiles, limit int64) (total int64, ok bool) {
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

func (m *meter) resident(p procStat) resident {
	id := strconv.Itoa(m.living(p))
	if b := m.read("/proc/" + id + "/smaps_rollup"); len(b) > 0 {
		return parseRollup(b)
	}
	return parseStatus(m.read("/proc/" + id + "/status"))
}

// living is a thread of p that still has its memory: a program whose first thread
// has ended looks empty under that one's number, and would hide everything.
func (m *meter) living(p procStat) int {
	if !p.zombie || p.threads < 2 {
		return p.pid
	}
	dir := "/proc/" + strconv.Itoa(p.pid) + "/task"
	for _, name := range names(dir) {
		id, err := strconv.Atoi(name)
		if err != nil || id == p.pid {
			continue
		}
		if t, ok := parseStat(id, m.read(dir+"/"+name+"/stat")); ok && !t.zombie {
			return id
		}
	}
	return p.pid
}

// tree lists our descendants.
func (m *meter) tree() (all []procStat, ok bool) {
	if m.own {
		return m.everyone()
	}
	for queue := []int{m.self}; len(queue) > 0; queue = queue[1:] {
		if m.busy() {
			return nil, false
		}
		for _, pid := range children(queue[0]) {
			if p, ok := m.stat(pid); ok && p.parent == queue[0] {
				all = append(all, p)
				queue = append(queue, pid)
			}
		}
	}
	return all, true
}

// processes counts those of our own pid namespace, but for us.
func (m *meter) processes() (n int) {
	for _, name := range names("/proc") {
		if name[0] >= '0' && name[0] <= '9' {
			n++
		}
	}
	return max(n-1, 0)
}

// everyone is the same where nobody else is in /proc.
func (m *meter) everyone() (all []procStat, ok bool) {
	for _, name := range names("/proc") {
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

func (m *meter) stat(pid int) (procStat, bool) {
	p, ok := parseStat(pid, m.read("/proc/"+strconv.Itoa(pid)+"/stat"))
	if !ok || !p.zombie || p.threads < 2 {
		return p, ok
	}
	if t, ok := parseStat(pid, m.read("/proc/"+strconv.Itoa(m.living(p))+"/stat")); ok {
		p.pages = t.pages
	}
	return p, true
}

func names(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.Readdirnames(-1) // what vanished meanwhile is not missed
	return list
}

// read returns a small file's content until the next read; nil is none.
func (m *meter) read(path string) []byte {
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
