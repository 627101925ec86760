package language

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

const (
	// maxMessage holds the largest policy file there may be, however it is escaped.
	maxMessage = 8 * config.MaxFileBytes
	// maxOpen is more files than a person edits at once.
	maxOpen = 64
	// flushTime is what the last answers get to leave through a full pipe.
	flushTime = 500 * time.Millisecond
)

// Options are what Serve runs with; all of them are needed.
type Options struct {
	In      io.Reader
	Out     io.Writer
	Schema  []byte // docs/policy.schema.json
	Version string
	Log     *slog.Logger
}

// server is one connection's state, which only the goroutine that reads touches.
type server struct {
	version string
	log     *slog.Logger
	w       *jsonrpc.Writer
	keys    map[config.FileKind]*node
	open    map[string]*document // by URI
	greeted bool                 // initialize was answered
	asked   bool                 // shutdown was: exit code 0
	ends    chan struct{}        // buffered
}

// Serve serves one editor until it is gone, and returns the exit code: 0 after shutdown
// and exit, else 1.
func Serve(ctx context.Context, o Options) int {
	s := &server{
		version: o.Version, log: o.Log, open: map[string]*document{}, ends: make(chan struct{}, 1),
	}
	var err error
	if s.keys, err = readSchema(o.Schema); err != nil {
		o.Log.Error("the schema can't be read", "error", err)
		return 1
	}
	s.w = jsonrpc.NewWriter(o.Out, jsonrpc.FramingHeader, func(error) { s.end() })
	stream := jsonrpc.NewStream(jsonrpc.Promptly(o.In), s.w, jsonrpc.StreamOptions{
		Limit: maxMessage, Refuse: convert.RefuseMessage, Withdraw: "$/cancelRequest", Log: o.Log,
		Ended: func(error) { s.end() },
	})
	// Not ctx: the library would drop the answers of running handlers with it.
	jsonrpc.NewConn(stream).Go(context.WithoutCancel(ctx), s.handle)
	var writer conc.WaitGroup
	written := make(chan struct{})
	writer.Go(func() { defer close(written); s.w.Run() })
	select {
	case <-s.ends:
	case <-ctx.Done():
	}
	// An editor that has stopped reading is not waited for: the process ends.
	late := time.AfterFunc(flushTime, stream.LetGo)
	stream.Drained(0)
	late.Stop()
	s.w.Close()
	select {
	case <-written:
		writer.Wait()
	case <-time.After(flushTime):
	}
	if s.asked {
		return 0
	}
	return 1
}

// end lets Serve return; it may be called more than once.
func (s *server) end() {
	select {
	case s.ends <- struct{}{}:
	default:
	}
}
