package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/audit"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

const (
	// goneGrace is between SIGTERM and SIGKILL when the client has gone.
	goneGrace = 500 * time.Millisecond
	// flushTime is what the last answers get to leave through a full pipe.
	flushTime = 500 * time.Millisecond
)

// Options are what Serve runs with.
type Options struct {
	In      io.Reader       // closed by Serve if it is an io.Closer: nothing else unblocks a read
	Out     io.Writer       // closed by Serve if it is an io.Closer: the same for a write
	Framing jsonrpc.Framing // of both

	Config    config.Config    // the user's; initialize lays the editor's over it
	Sandbox   *sandbox.Manager // nil: one is opened under Config.StateDir and closed again
	Unable    error            // why nothing can run; the answer to initialize
	Own       []string         // more of pillion's own files, which no workspace may hold
	Version   string
	ParentPID int // a process to watch from the start, 0 for none

	Log        *slog.Logger
	LogDropped func() int64 // log records lost so far, may be nil
}

// ending is why a connection ends.
type ending struct {
	why string
	err error
}

// Serve serves the protocol on In and Out until the client is gone, and returns the exit
// code: 0 if shutdown was asked for, else 1. When it returns no process of any command is
// alive. A cancelled ctx counts as a client that is gone.
func Serve(ctx context.Context, o Options) (exitCode int) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := newServer(o)
	// Not ctx: the library would drop the answers of running handlers with it.
	s.conn.Go(context.WithoutCancel(ctx), s.handle)
	var writer conc.WaitGroup
	writer.Go(s.write)
	if o.ParentPID > 0 {
		s.watchParent(o.ParentPID)
	}
	s.stop(s.wait(ctx))
	if s.ownBoxes {
		s.boxes.Close()
	}
	s.record().Close()
	if s.disconnect() {
		writer.Wait()
	}
	if s.asked {
		return 0
	}
	return 1
}

func newServer(o Options) *server {
	s := &server{
		opts: o, log: o.Log, table: served(), boxes: o.Sandbox, started: time.Now(), ends: make(chan ending, 1), audit: new(audit.Log),
		calls: map[jsonrpc.ID]*call{}, judges: make(chan struct{}, maxJudges), tokens: map[string]*call{}, ignored: map[string]bool{},
		checks: newInFlight("guard/check", maxWaiting), reads: newInFlight("exec/read", maxReads), writes: newInFlight("exec/write", maxWrites),
	}
	switch {
	case o.Unable != nil:
		s.unopened = &sandbox.SetupError{Stage: "configuration", Err: o.Unable}
	case s.boxes == nil:
		boxes, err := sandbox.Open(sandbox.Options{StateDir: o.Config.StateDir, Own: o.Config.Own(), Later: true})
		// A home that can't be written is named in the answer to initialize: nobody may
		// see what a sidecar says on its standard error.
		s.boxes, s.ownBoxes, s.unopened = boxes, err == nil, err
	}
	s.settings.until, s.settings.stop = context.WithCancel(context.Background())
	s.w = jsonrpc.NewWriter(o.Out, o.Framing, func(err error) { s.end(ending{"the client stopped reading", err}) })
	s.written = make(chan struct{})
	s.stream = jsonrpc.NewStream(jsonrpc.Promptly(o.In), s.w, jsonrpc.StreamOptions{
		Limit: protocol.MaxMessageBytes, Refuse: convert.RefuseMessage, Withdraw: "$/cancelRequest", Log: o.Log,
		Ended: func(err error) { s.end(ending{"end of input", err}) },
	})
	s.asks, s.trace = s.stream.Calls, newTracer(s.w, o.Log)
	s.asks.Trace = s.trace
	s.conn = jsonrpc.NewConn(s.stream)
	return s
}

// end records why the connection ends; the first reason counts.
func (s *server) end(e ending) {
	select {
	case s.ends <- e:
	default:
	}
}

func (s *server) wait(ctx context.Context) ending {
	select {
	case e := <-s.ends:
		return e
	case <-ctx.Done():
		return ending{"stopped", context.Cause(ctx)}
	}
}

func (s *server) write() {
	defer close(s.written)
	s.w.Run()
}

// stop ends everything in an order that loses no answer which could still be
// read: commands, their handlers, then the writer.
func (s *server) stop(e ending) {
	s.logEnd(e)
	s.mu.Lock()
	grace, engine := goneGrace, s.engine
	if e.why == "exit" && s.phase == shuttingDown {
		grace = 0
	}
	s.phase = shuttingDown
	for _, stop := range s.checks.stops {
		stop()
	}
	s.mu.Unlock()
	s.settings.stop()
	s.settings.scope.Wait()
	s.w.RefuseLanes() // output has no reader any more
	if engine != nil {
		engine.Stop(executor.Gone, grace)
	}
	late := time.AfterFunc(flushTime, s.stream.LetGo)
	s.stream.Drained(0)
	late.Stop()
	s.w.Close()
	if !within(flushTime, s.written) {
		s.log.Warn("answers lost: the client does not read", "frames", s.w.Queued())
		s.w.Abandon()
	}
}

// disconnect closes both streams and reports whether that ended all use of them.
// It doesn't on a terminal, where a blocked read or write can't be interrupted, and
// where closing may wait for it; leaving with the process is all that is left then.
// The folders go last, however late that is: a handler may still use them.
func (s *server) disconnect() bool {
	if c, ok := s.opts.Out.(io.Closer); ok {
		_ = c.Close()
	}
	defer s.closeParent()
	var closer conc.WaitGroup
	closed := make(chan struct{})
	closer.Go(func() {
		defer close(closed)
		_ = s.stream.Close()
		_ = s.conn.Close()
		if s.folders.set != nil {
			_ = s.folders.set.Close()
		}
	})
	if !within(flushTime, closed) || !within(flushTime, s.written) {
		return false
	}
	closer.Wait()
	return true
}

func within(d time.Duration, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}

func (s *server) logEnd(e ending) {
	var bad *jsonrpc.FramingError
	switch {
	case errors.As(e.err, &bad):
		s.log.Error("the input can't be followed any more", "error", e.err)
	case e.err != nil && !errors.Is(e.err, io.EOF):
		s.log.Warn("the client is gone", "why", e.why, "error", e.err)
	default:
		s.log.Info("the connection ends", "why", e.why)
	}
}
