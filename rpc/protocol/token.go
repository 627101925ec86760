package protocol

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// ProgressToken is a string or an integer the client chose, as it was written.
//
//wire:type string | integer
type ProgressToken struct{ raw jsontext.Value }

// RequestID is the id of a JSON-RPC request: a string or an integer.
//
//wire:type string | integer
type RequestID struct{ raw jsontext.Value }

// UnmarshalJSON takes a string or an integer.
func (t *ProgressToken) UnmarshalJSON(b []byte) (err error) {
	t.raw, err = scalar(b)
	return err
}

// MarshalJSON gives back what the client wrote.
func (t ProgressToken) MarshalJSON() ([]byte, error) { return t.raw, nil }

// IsZero reports that there is no token.
func (t ProgressToken) IsZero() bool { return t.raw == nil }

// JSON is the token as the client wrote it.
func (t ProgressToken) JSON() []byte { return t.raw }

// Key compares tokens: "a" and "\u0061" are the same one, 1 and "1" are not.
func (t ProgressToken) Key() string {
	if t.raw.Kind() == '"' {
		s, _ := jsontext.AppendUnquote(nil, t.raw)
		return `"` + string(s)
	}
	return string(t.raw)
}

// UnmarshalJSON takes a string or an integer.
func (r *RequestID) UnmarshalJSON(b []byte) (err error) {
	r.raw, err = scalar(b)
	return err
}

// MarshalJSON gives back what the client wrote.
func (r RequestID) MarshalJSON() ([]byte, error) { return r.raw, nil }

// JSON is the id as it is written.
func (r RequestID) JSON() []byte { return r.raw }

// ID is the library's form of it.
func (r RequestID) ID() jsonrpc.ID { return jsonrpc.DecodeID(r.raw) }

// NewRequestID is the wire's form of the library's.
func NewRequestID(id jsonrpc.ID) RequestID {
	if n, ok := id.Number(); ok {
		return RequestID{strconv.AppendInt(nil, n, 10)}
	}
	s, _ := id.StringValue()
	return RequestID{jsonrpc.AppendText(nil, []byte(s))}
}

func scalar(b []byte) (jsontext.Value, error) {
	v := jsontext.Value(b)
	switch v.Kind() {
	case '"':
		if len(b) > jsonrpc.MaxEcho {
			return nil, fmt.Errorf("expected at most %d bytes", jsonrpc.MaxEcho)
		}
		return v.Clone(), nil
	case '0':
		if _, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return v.Clone(), nil
		}
	}
	return nil, errors.New("expected a string or an integer")
}

// Nullable is a member whose null differs from its absence.
type Nullable[T any] struct {
	Set   bool // the member is there
	Null  bool // and is null
	Value T
}

// UnmarshalJSON takes null or a T.
func (n *Nullable[T]) UnmarshalJSON(b []byte) error {
	*n = Nullable[T]{Set: true}
	if jsontext.Value(b).Kind() == 'n' {
		n.Null = true
		return nil
	}
	return json.Unmarshal(b, &n.Value)
}

// MarshalJSON is null or the T.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if !n.Set || n.Null {
		return []byte("null"), nil
	}
	return json.Marshal(n.Value)
}

// IsZero reports absence.
func (n Nullable[T]) IsZero() bool { return !n.Set }

// Token is a progress token that is a string.
func Token(text string) ProgressToken {
	raw, _ := jsontext.AppendQuote(nil, text) // the error is about UTF-8, which is mended
	return ProgressToken{raw}
}

// Stamp is how times are written on the wire.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
