package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// maxDepth bounds nesting, so that no decoder after it recurses further.
const maxDepth = 64

// MaxEcho bounds what a client has repeated to it, ids and tokens, as it writes them:
// each answer and each piece of output has one, and must fit into a message.
const MaxEcho = 4 << 10

// decodeMessage checks a body completely and decodes its envelope. The library
// would take any bytes for params and end the connection on the first malformed
// envelope; here both become an answer. The id is that of a refused request, or
// the zero ID where none could be read.
func decodeMessage(body []byte) (jsonrpc2.Message, jsonrpc2.ID, *Fault) {
	if depth(body) > maxDepth {
		return nil, recoverID(body[:min(len(body), 2*MaxEcho)]), invalid(fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	e, err := scanEnvelope(body)
	if err != nil {
		if e.method == 0 {
			e.id = nil // perhaps of a response
		}
		return nil, e.requestID(), &Fault{Kind: NotJSON, Detail: strings.TrimPrefix(err.Error(), "jsontext: ")}
	}
	if fault := e.fault(); fault != "" {
		return nil, e.requestID(), invalid(fault)
	}
	msg, derr := jsonrpc2.DecodeMessage(body)
	if derr != nil {
		return nil, e.requestID(), invalid(e.mistake())
	}
	return msg, jsonrpc2.ID{}, nil
}

// depth is the nesting of a JSON text. It reads bytes only, so it is safe on
// text that is not JSON at all; there the number means nothing.
func depth(body []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// envelope is the top level of a message.
type envelope struct {
	kind  jsontext.Kind // of the whole body
	twice string        // a member that occurs twice
	id    jsontext.Value

	// Kinds of the members that count, 0 where there is none.
	version, idKind, method, params, result, failure jsontext.Kind
}

// scanner reads envelopes, one after the other: to make one costs more than to read
// a small message.
type scanner struct {
	text    bytes.Buffer
	decoder jsontext.Decoder
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

// reset points it at another text, and lets go of the one before.
func (s *scanner) reset(text []byte) {
	s.text = *bytes.NewBuffer(text)
	s.decoder.Reset(&s.text, jsontext.AllowDuplicateNames(true))
}

// scanEnvelope reads a whole body: grammar, UTF-8, and what is at the top. Names
// that occur twice deeper down are left to the strict decoding of params, which
// can say where they are.
func scanEnvelope(body []byte) (envelope, error) {
	s := scanners.Get().(*scanner)
	s.reset(body)
	defer func() {
		s.reset(nil)
		scanners.Put(s)
	}()
	e := envelope{kind: s.decoder.PeekKind()}
	if e.kind != '{' {
		if _, err := s.decoder.ReadValue(); err != nil {
			return e, err
		}
		return e, atEnd(&s.decoder)
	}
	if err := e.members(&s.decoder); err != nil {
		return e, err
	}
	return e, atEnd(&s.decoder)
}

func (e *envelope) members(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := t.String()
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		e.member(name, v)
	}
	_, err := d.ReadToken()
	return err
}

func (e *envelope) member(name string, v jsontext.Value) {
	kind := e.kindOf(name)
	if kind == nil {
		return
	}
	if *kind != 0 {
		e.twice = name
	}
	*kind = v.Kind()
	if name == "id" {
		e.id = v.Clone()
	}
}

func (e *envelope) kindOf(name string) *jsontext.Kind {
	switch name {
	case "jsonrpc":
		return &e.version
	case "id":
		return &e.idKind
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.failure
	}
	return nil
}

func atEnd(d *jsontext.Decoder) error {
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("bytes after the message")
	}
	return nil
}

// fault names what makes a well-formed text no message, or "".
func (e *envelope) fault() string {
	switch {
	case e.kind == '[':
		return "batches are not supported"
	case e.kind != '{':
		return "a message is an object"
	case e.twice != "":
		return fmt.Sprintf("member %q occurs twice", e.twice)
	case e.method == 0 && e.result == 0 && e.failure == 0:
		return "neither method nor result nor error"
	case e.method != 0 && e.idKind != 0 && e.idKind != '"' && e.idKind != '0':
		return "an id is a string or an integer"
	case e.method != 0 && len(e.id) > MaxEcho:
		return fmt.Sprintf("an id has at most %d bytes", MaxEcho)
	case e.params != 0 && e.params != '{' && e.params != '[' && e.params != 'n':
		return "params are an object"
	}
	return ""
}

// mistake is why the library takes a well-formed message for none.
func (e *envelope) mistake() string {
	switch {
	case e.method != 0 && e.method != '"':
		return "a method is a string"
	case e.method != 0 && (e.result != 0 || e.failure != 0), e.result != 0 && e.failure != 0:
		return "a message has one of method, result and error"
	case e.idKind == '0' && !DecodeID(e.id).IsValid():
		return "an id is a string or an integer of at most 64 bits"
	}
	return "jsonrpc is \"2.0\""
}

// requestID is the id of a request that is refused, as far as it has a usable
// one. The library decodes it, so that it is echoed as it would be in an answer.
func (e *envelope) requestID() jsonrpc2.ID {
	response := e.method == 0 && (e.result != 0 || e.failure != 0)
	if e.twice == "id" || response || len(e.id) > MaxEcho {
		return jsonrpc2.ID{}
	}
	return DecodeID(e.id)
}

// DecodeID is the id that is written in raw, or the zero ID.
func DecodeID(raw jsontext.Value) jsonrpc2.ID {
	if k := raw.Kind(); k != '"' && k != '0' {
		return jsonrpc2.ID{}
	}
	msg, err := jsonrpc2.DecodeMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"","id":%s}`, raw))
	if err != nil {
		return jsonrpc2.ID{}
	}
	call, ok := msg.(*jsonrpc2.Call)
	if !ok {
		return jsonrpc2.ID{}
	}
	return call.ID()
}

// recoverID finds the id at the beginning of a body that was too long to keep.
func recoverID(prefix []byte) jsonrpc2.ID {
	e := envelope{method: '"'}
	// The text is cut, so the scan ends in an error; what came before counts.
	_ = e.members(jsontext.NewDecoder(bytes.NewReader(prefix)))
	if bytes.HasSuffix(prefix, e.id) {
		return jsonrpc2.ID{} // perhaps half of a number
	}
	return e.requestID()
}
