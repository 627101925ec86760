package jsonrpc

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

const (
	// maxLogBytes is what waits for a stderr without a reader.
	maxLogBytes = 64 << 10
	// logFlush is what Close waits for it.
	logFlush = 200 * time.Millisecond
)

// LogWriter makes a log that can't block the program: many editors never read the stderr
// of their servers, and a full pipe would stop those who log. Lines that don't fit are
// dropped and counted.
type LogWriter struct {
	out   io.Writer
	scope conc.WaitGroup
	idle  chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	more    *sync.Cond
	pending bytes.Buffer
	closed  bool
	dropped int64
	untold  int64 // of dropped, not yet mentioned in the log
}

// NewLogWriter starts a LogWriter on out; Close ends it.
func NewLogWriter(out io.Writer) *LogWriter {
	l := &LogWriter{out: out, idle: make(chan struct{})}
	l.more = sync.NewCond(&l.mu)
	l.scope.Go(l.run)
	return l
}

// Write takes one whole record; it never fails and never waits.
func (l *LogWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.pending.Len()+len(p) > maxLogBytes {
		l.dropped++
		l.untold++
		return len(p), nil
	}
	if l.untold > 0 {
		fmt.Fprintf(&l.pending, "(%d log records lost)\n", l.untold)
		l.untold = 0
	}
	l.pending.Write(p)
	l.more.Signal()
	return len(p), nil
}

// Dropped counts the records lost so far.
func (l *LogWriter) Dropped() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// Close writes what waits, for a short time at most: a stderr that is stuck must
// not keep the process.
func (l *LogWriter) Close() {
	l.mu.Lock()
	l.closed = true
	l.more.Signal()
	l.mu.Unlock()
	select {
	case <-l.idle:
		l.scope.Wait()
	case <-time.After(logFlush):
	}
}

func (l *LogWriter) run() {
	defer close(l.idle)
	var batch bytes.Buffer
	for l.swap(&batch) {
		_, _ = l.out.Write(batch.Bytes()) // there is nowhere to report it
		batch.Reset()
	}
}

// swap waits for records and takes them; false at the end.
func (l *LogWriter) swap(batch *bytes.Buffer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.pending.Len() == 0 && !l.closed {
		l.more.Wait()
	}
	*batch, l.pending = l.pending, *batch
	return batch.Len() > 0
}
