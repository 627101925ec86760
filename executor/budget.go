package executor

import (
	"sync"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// budget is the disk space all spools share. Its unit is bytes.
type budget struct {
	mu    sync.Mutex
	limit int64
	n     int64
	disk  disk

	reclaim func() bool // frees some of it, or reports that it can't; may be nil
}

// The reasons of a Gap where bytes were not kept.
const (
	gapSpool = "spoolLimit"
	gapDisk  = "diskFull"
)

// leastRoom is what a command must find to start: what one read of a pipe takes.
const leastRoom = readSize

// take reserves up to want bytes and returns how many it got; if none, also why.
// What finished commands hold makes room.
func (b *budget) take(want int64) (got int64, why string) {
	for {
		got, why = b.reserve(want)
		if got > 0 || want <= 0 || b.reclaim == nil || !b.reclaim() {
			return got, why
		}
	}
}

func (b *budget) reserve(want int64) (got int64, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	within := max(0, min(want, b.limit-b.n))
	if within == 0 {
		return 0, gapSpool
	}
	got = b.disk.take(within)
	b.n += got
	return got, gapDisk
}

// newBudget is for spools in dir.
func newBudget(dir string) *budget {
	return &budget{disk: disk{dir: dir, first: freeSpace(dir)}}
}

func (b *budget) setLimits(c Config) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit = c.Limits.SpoolTotalBytes
	b.disk.spare(c.Policy.Limits)
}

func (b *budget) put(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n -= n
}

func (b *budget) used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// filled says that one more command would find no room, also if spare bytes were
// freed. A very small limit is none for the first command.
func (b *budget) filled(spare int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit-b.n+spare < min(leastRoom, b.limit/2)
}

// disk is the file system of the spools, of which some stays free: a flood must
// not take what other programs need to go on, or to save the user's work.
type disk struct {
	dir   string
	first int64 // bytes that were free at the start
	floor int64 // bytes that stay free, 0 for none
	clear int64 // bytes that may be taken before the next look
}

// lookEvery is how many bytes are taken between two looks: one costs a
// microsecond, and others fill the disk as well.
const lookEvery = 1 << 20

// spare sets the floor: what must stay free where commands write, or half of what
// there was at first. On a disk that is nearly full already, output is still kept.
func (d *disk) spare(l sandbox.Limits) { d.floor, d.clear = min(l.FreeDisk, d.first/2), 0 }

// take says how many of want bytes may be written.
func (d *disk) take(want int64) int64 {
	if d.floor <= 0 {
		return want
	}
	if d.clear < want {
		d.clear = max(0, min(max(want, lookEvery), freeSpace(d.dir)-d.floor))
	}
	got := min(want, d.clear)
	d.clear -= got
	return got
}
