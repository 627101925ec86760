package jsonrpc

import (
	"io"
	"log/slog"
	"time"

	"go.lsp.dev/jsonrpc2"
)

const (
	patience = time.Minute
	// fuzzLimit is the longest body here: a fuzzer should get over it.
	fuzzLimit = 16 << 10
)

// testStream answers what is not a request with an error that says so.
func testStream(in io.Reader, w *Writer) *Stream {
	return NewStream(in, w, StreamOptions{
		Limit: fuzzLimit, Withdraw: "$/cancelRequest", Ended: func(error) {}, Log: slog.New(slog.DiscardHandler),
		Refuse: func(f Fault) *jsonrpc2.Error { return jsonrpc2.NewError(jsonrpc2.InvalidRequest, f.Detail) },
	})
}
