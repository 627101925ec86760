package spool

import (
	"os"
	"testing"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// fullDisk is a file whose disk is always full. full(4)
func fullDisk(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFullDiskIsAFullSpoolAndSaysSo(t *testing.T) {
	for _, onFull := range []string{DropMiddle, Block, Terminate} {
		b := &Budget{Limit: 1000}
		s := &Spool{Dir: t.TempDir(), Max: 500, Tail: 100, OnFull: onFull, Budget: b, file: fullDisk(t)}
		if got := s.Append([]byte("hello")); got || s.Reason() != GapDisk || s.Err() != nil {
			t.Errorf("%s: whole %v, %s, %v", onFull, got, s.Reason(), s.Err())
		}
		s.Append([]byte("world"))
		if n, next, err := s.Read(make([]byte, 10), 0); n != 0 || next != 10 || err != nil {
			t.Errorf("%s: %d bytes up to %d, %v", onFull, n, next, err)
		}
		if onFull == Block && s.Room(100) != 0 {
			t.Error("room on a full disk")
		}
		if b.Used() != 0 {
			t.Errorf("%s: %d bytes reserved for nothing", onFull, b.Used())
		}
		s.Close()
	}
}

func TestFreeSpaceFloorLeavesHalfOfANearlyFullDisk(t *testing.T) {
	free := freeSpace(t.TempDir())
	if free <= 0 || freeSpace("/nonexistent") <= free {
		t.Errorf("%d bytes free", free)
	}
	b := NewBudget(t.TempDir())
	for _, tt := range []struct{ want, first, floor int64 }{{0, 1000, 0}, {400, 1000, 400}, {900, 1000, 500}} {
		b.disk.first = tt.first
		if b.SetLimits(100, sandbox.Limits{FreeDisk: tt.want}); b.disk.floor != tt.floor {
			t.Errorf("%+v: %d", tt, b.disk.floor)
		}
	}
}

// A flood is not asked after at every chunk, and not forgotten for long.
func TestFreeSpaceIsLookedAtEveryMegabyte(t *testing.T) {
	d := disk{dir: t.TempDir(), floor: 1}
	if got := d.take(1000); got != 1000 || d.clear != lookEvery-1000 {
		t.Errorf("%d, then %d", got, d.clear)
	}
	d.floor = 1 << 60
	if got := d.take(1000); got != 1000 {
		t.Errorf("%d of what was seen", got)
	}
	if got := d.take(lookEvery); got != 0 || d.clear != 0 {
		t.Errorf("%d, then %d", got, d.clear)
	}
}
