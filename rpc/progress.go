package rpc

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strconv"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// progress makes $/progress frames for one token. The envelope up to the value
// is the library's, made once.
type progress struct {
	head   []byte
	base64 bool
}

func newProgress(token protocol.ProgressToken, asBase64 bool) *progress {
	params := append([]byte(`{"token":`), token.JSON()...)
	params = append(params, `,"value":0}`...)
	whole := jsonrpc.AppendNotification(nil, "$/progress", params)
	return &progress{head: bytes.TrimSuffix(whole, []byte("0}}")), base64: asBase64}
}

// event is a frame with any value.
func (p *progress) event(value any) *jsonrpc.Frame {
	raw, err := jsonrpc.Codec{}.Marshal(value)
	if err != nil {
		panic(err) // every event type is ours and marshals
	}
	f := jsonrpc.NewFrame()
	f.Buf = append(f.Buf, p.head...)
	f.Buf = append(f.Buf, raw...)
	f.Buf = append(f.Buf, "}}"...)
	return f
}

// output is the frame of an OutputEvent. It is appended by hand into a pooled
// buffer: through the JSON package, this path costs three times as much.
func (p *progress) output(c executor.Chunk) *jsonrpc.Frame {
	f := jsonrpc.NewFrame()
	// At once for most text: growing would leave more than the frame unused.
	b := append(slices.Grow(f.Buf, len(p.head)+len(c.Bytes)*9/8+128), p.head...)
	b = append(b, `{"type":"output","seq":`...)
	b = strconv.AppendInt(b, c.Seq, 10)
	b = append(b, `,"stream":"`...)
	b = append(b, c.Stream...)
	b = append(b, `","offset":`...)
	b = strconv.AppendInt(b, c.Offset, 10)
	b = append(b, `,"length":`...)
	b = strconv.AppendInt(b, int64(len(c.Bytes)), 10)
	if c.Text && !p.base64 {
		b = append(b, `,"text":`...)
		b = jsonrpc.AppendText(b, c.Bytes)
	} else {
		b = append(b, `,"data":"`...)
		b = base64.StdEncoding.AppendEncode(b, c.Bytes)
		b = append(b, '"')
	}
	f.Buf = append(b, "}}}"...)
	return f
}
