package convert

import (
	"fmt"
	"slices"
	"time"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func Write(p *protocol.WriteParams) (*executor.Write, error) {
	w := &executor.Write{Data: p.Data, Offset: -1, Close: p.Close}
	switch {
	case p.ExecID == "":
		return nil, protocol.Invalid("/execId", "the execId of a command", "none")
	case p.Text != nil && p.Data != nil, p.Text == nil && p.Data == nil && !p.Close:
		return nil, protocol.Invalid("", "exactly one of text and data, or close", "both or none")
	case p.Offset != nil && (*p.Offset < 0 || *p.Offset > 1<<53):
		return nil, protocol.Invalid("/offset", "0 to 2^53", fmt.Sprint(*p.Offset))
	case p.Offset != nil:
		w.Offset = *p.Offset
	}
	if p.Text != nil {
		w.Data = []byte(*p.Text)
	}
	return w, nil
}

// The bounds of exec/read. As JSON a byte takes at most six, so that the largest
// answer is far below MaxMessageBytes.
const (
	DefaultReadBytes = 64 << 10
	MaxReadBytes     = 1 << 20
	maxReadWait      = time.Minute
)

func Read(p *protocol.ReadParams) (executor.ReadRequest, error) {
	const most = int64(1)<<53 - 1
	q := executor.ReadRequest{Offset: p.Offset, Max: DefaultReadBytes, Base64: p.Encoding == "base64"}
	if err := OneOf(p.ExecID, p.Name); err != nil {
		return q, err
	}
	switch {
	case !slices.Contains([]executor.Stream{executor.Stdout, executor.Stderr, executor.Pty}, executor.Stream(p.Stream)):
		return q, protocol.Invalid("/stream", "one of stdout, stderr, pty", fmt.Sprintf("%.40q", p.Stream))
	case p.Offset > most || p.Offset < -most:
		return q, protocol.Invalid("/offset", fmt.Sprintf("-%d to %d", most, most), fmt.Sprint(p.Offset))
	case p.MaxBytes < 0:
		return q, protocol.Invalid("/maxBytes", "a positive number", fmt.Sprint(p.MaxBytes))
	case p.WaitMs < 0:
		return q, protocol.Invalid("/waitMs", "a positive number", fmt.Sprint(p.WaitMs))
	case p.Encoding != "" && p.Encoding != "utf-8" && !q.Base64:
		return q, protocol.Invalid("/encoding", "one of utf-8, base64", fmt.Sprintf("%.40q", p.Encoding))
	}
	if p.MaxBytes > 0 {
		q.Max = min(p.MaxBytes, MaxReadBytes)
	}
	q.Wait = Milliseconds(min(p.WaitMs, maxReadWait.Milliseconds()))
	return q, nil
}

// OneOf refuses to guess which output was meant.
func OneOf(execID, name string) error {
	switch {
	case execID == "" && name == "":
		return protocol.Invalid("/execId", "the execId of a command, or the name of a saved output", "neither")
	case execID != "" && name != "":
		return protocol.Invalid("/name", "exactly one of execId and name", "both")
	}
	return nil
}
