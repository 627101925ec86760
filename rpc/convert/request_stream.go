package convert

import (
	"cmp"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func Write(p *protocol.WriteParams) (*executor.Write, error) {
	w := &executor.Write{Data: p.Data, Offset: -1, Close: p.Close}
	switch {
	case p.ExecID == "":
		return nil, protocol.Invalid("/execId", "the execId of a command", "none")
	case p.Offset != nil:
		w.Offset = *p.Offset
	}
	if p.Text != nil {
		w.Data = []byte(*p.Text)
	}
	return w, textOrData("", p.Text, p.Data, p.Close, "close")
}

// textOrData refuses two inputs, or none without the member that stands for one.
func textOrData(at string, text *string, data []byte, alone bool, member string) error {
	expected := "exactly one of text and data, or " + member
	switch {
	case text != nil && data != nil:
		return protocol.Invalid(at+"/data", expected, "both")
	case text == nil && data == nil && !alone:
		return protocol.Invalid(at, expected, "none of them")
	}
	return nil
}

// DefaultReadBytes is what exec/read answers at most, unless asked for more. As JSON a byte takes
// at most six, so that the largest answer is far below MaxMessageBytes.
const DefaultReadBytes = 64 << 10

func Read(p *protocol.ReadParams) (executor.ReadRequest, error) {
	q := executor.ReadRequest{
		Offset: p.Offset, Max: cmp.Or(p.MaxBytes, DefaultReadBytes), Wait: Milliseconds(p.WaitMs),
		Base64: p.Encoding == protocol.EncodingBase64,
	}
	if err := OneOf(p.ExecID, p.Name); err != nil {
		return q, err
	}
	if err := Word("/stream", p.Stream, executor.Stdout, executor.Stderr, executor.Pty); err != nil {
		return q, err
	}
	return q, word("/encoding", p.Encoding, protocol.EncodingText, protocol.EncodingBase64)
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
