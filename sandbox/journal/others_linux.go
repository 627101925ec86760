package journal

import (
	"encoding/binary"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// others hears who else writes to files that a command has opened or made, while it runs:
// they are closed more often than the command has opened them. Where the user may watch no
// more files nothing is heard. inotify(7)
type others struct {
	sync.Mutex
	queue *os.File // nil until a file is watched
	full  bool     // what is opened from now on isn't counted
	fd    int
	files map[files.ID]*watched
	byWD  map[int32]*watched
}

type watched struct {
	id             files.ID
	path           string // the last that is known
	opened, closed int
}

// maxWatched bounds the files of one command: each stays in the kernel's memory.
const maxWatched = 4096

// watch hears of a file from now on; opens says that the command is about to open it.
func (o *others) watch(id files.ID, pin int, path string, opens int) {
	o.Lock()
	defer o.Unlock()
	if w := o.files[id]; w != nil {
		w.opened += opens
		return
	}
	o.full = o.full || len(o.files) >= maxWatched || o.queue == nil && !o.begin()
	if o.full {
		return
	}
	// That it is opened keeps one close from being taken for the one before.
	wd, err := unix.InotifyAddWatch(o.fd, files.Path(pin), unix.IN_CLOSE_WRITE|unix.IN_OPEN)
	if o.full = err != nil; err == nil {
		w := &watched{id: id, path: path, opened: opens}
		o.files[id], o.byWD[int32(wd)] = w, w
	}
}

// moved says that something has another path now, and what is below it.
func (o *others) moved(st *unix.Stat_t, from, to string) {
	o.Lock()
	defer o.Unlock()
	if w := o.files[files.IDOf(st)]; w != nil {
		w.path = to
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return
	}
	for _, w := range o.files {
		if below, in := strings.CutPrefix(w.path, from+"/"); in {
			w.path = to + "/" + below
		}
	}
}

func (o *others) begin() bool {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return false
	}
	o.fd, o.queue = fd, os.NewFile(uintptr(fd), "inotify")
	o.files, o.byWD = map[files.ID]*watched{}, map[int32]*watched{}
	conn, err := o.queue.SyscallConn()
	if err != nil {
		return false
	}
	go func() { // or the kernel makes one close of two, and has room for so many only
		for conn.Read(o.take) == nil {
			time.Sleep(pace)
		}
	}()
	return true
}

// take reads and counts in one: what is in between, wrote would not hear.
func (o *others) take(uintptr) (taken bool) {
	o.Lock()
	defer o.Unlock()
	return o.drain()
}

// pace is how often the queue is read at most.
const pace = 5 * time.Millisecond

func (o *others) count(events []byte) {
	for len(events) >= unix.SizeofInotifyEvent {
		wd, mask := int32(binary.NativeEndian.Uint32(events)), binary.NativeEndian.Uint32(events[4:])
		w := o.byWD[wd]
		switch {
		case w == nil:
		case mask&unix.IN_CLOSE_WRITE != 0:
			w.closed++
		case mask&unix.IN_IGNORED != 0: // it is gone, and its number may be another one's
			delete(o.byWD, wd)
			if o.files[w.id] == w {
				delete(o.files, w.id)
			}
		}
		events = events[unix.SizeofInotifyEvent+binary.NativeEndian.Uint32(events[12:]):]
	}
}

// wrote says once that somebody else has written to a file.
func (o *others) wrote(id files.ID) bool {
	o.Lock()
	defer o.Unlock()
	w := o.files[id]
	if w == nil {
		return false
	}
	o.drain()
	more := w.closed > w.opened
	w.closed = min(w.closed, w.opened)
	return more
}

func (o *others) drain() (some bool) {
	var buf [1 << 14]byte
	for o.queue != nil {
		n, err := unix.Read(o.fd, buf[:])
		if err != nil || n <= 0 {
			break
		}
		o.count(buf[:n])
		some = true
	}
	return some
}

// end gives back what others have written to since.
func (o *others) end() (wrote []*watched) {
	o.Lock()
	queue := o.queue
	if queue == nil {
		o.Unlock()
		return nil
	}
	o.drain()
	for _, w := range o.files {
		if w.closed > w.opened {
			wrote = append(wrote, w)
		}
	}
	o.queue, o.files = nil, nil
	o.Unlock()
	// The kernel takes 10 ms or so to forget what was watched, and the command's answer
	// would wait for that.
	go func() { _ = queue.Close() }()
	return wrote
}
