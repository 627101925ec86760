package spool

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/needs"
)

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// Output is the user's: no other program opens it, and all of it goes.
func TestASpoolIsNobodyElsesAndGoesWithItsHandle(t *testing.T) {
	dir := needs.Dir(t)
	f, err := unlinkedFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("secret"), 3); err != nil {
		t.Error(err)
	}
	if other, err := os.Open(f.Name()); err == nil {
		_ = other.Close()
		t.Error("another one has it open")
	}
	b := make([]byte, 6)
	if _, err := f.ReadAt(b, 3); err != nil || string(b) != "secret" {
		t.Errorf("%q %v", b, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if n := entries(t, dir); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

func TestPipesEndAndTakeDeadlines(t *testing.T) {
	r, w, err := OutputPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("out"); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 8)
	if n, err := r.Read(b); err != nil || string(b[:n]) != "out" {
		t.Errorf("%q %v", b[:n], err)
	}
	if err := r.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a writer that stays silent: %v", err)
	}
	second, err := Duplicate(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(b); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("%d %v", n, err)
	}
}

func TestAnInputPipeIsClosedUnderItsWriter(t *testing.T) {
	r, w, err := InputPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	full := make(chan error)
	go func() {
		_, err := w.Write(make([]byte, 4*pipeSize)) // more than it holds: nobody reads
		full <- err
	}()
	time.Sleep(50 * time.Millisecond)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-full:
		if err == nil {
			t.Error("it was all written")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the writer waits on")
	}
}

func TestADiskSaysHowMuchIsFree(t *testing.T) {
	if n := freeSpace(os.TempDir()); n <= 0 {
		t.Errorf("%d bytes", n)
	}
}
