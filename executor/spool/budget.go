package spool

import (
	"sync"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// Budget is the disk space all spools share. Its unit is bytes.
type Budget struct {
	mu    sync.Mutex
	Limit int64
	n     int64
	disk  disk

	Reclaim func() bool // frees some of it, or reports that it can't; may be nil
}

// The reasons of a Gap where bytes were not kept.
const (
	GapSpool = "spoolLimit"
	GapDisk  = "diskFull"
)

// leastRoom is what a command must find to start: what one read of a pipe takes.
const leastRoom = ReadSize

// take reserves up to want bytes and returns how many it got; if none, also why. The
// output of finished commands makes room.
func (b *Budget) take(want int64) (got int64, why string) {
	for {
		got, why = b.reserve(want)
		if got > 0 || want <= 0 || b.Reclaim == nil || !b.Reclaim() {
			return got, why
		}
	}
}

func (b *Budget) reserve(want int64) (got int64, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	within := max(0, min(want, b.Limit-b.n))
	if within == 0 {
		return 0, GapSpool
	}
	got = b.disk.take(within)
	b.n += got
	return got, GapDisk
}

// NewBudget is for spools in dir.
func NewBudget(dir string) *Budget {
	return &Budget{disk: disk{dir: dir, first: freeSpace(dir)}}
}

// SetLimits holds for what comes: total bytes, and as many left free as commands
// must leave.
func (b *Budget) SetLimits(total int64, l sandbox.Limits) {
	b.mu.Lock()
	b.Limit = total
	b.mu.Unlock()
	b.KeepFree(min(l.FreeDisk, b.disk.first/2))
}

// KeepFree makes so many bytes of the disk stay free. SetLimits asks for no more than
// half of what there was at first: on a disk that is nearly full already, output is
// still kept.
func (b *Budget) KeepFree(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.disk.floor, b.disk.clear = bytes, 0
}

func (b *Budget) put(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n -= n
}

// Used is how many bytes all spools hold.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// Filled says that one more command would find no room, also if spare bytes were
// freed. A very small limit is none for the first command.
func (b *Budget) Filled(spare int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Limit-b.n+spare < min(leastRoom, b.Limit/2)
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

// ReadSize is how much one read(2) takes; Linux pipes hold 64 KiB.
const ReadSize = 64 << 10
