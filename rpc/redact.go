package rpc

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/display"
)

// maxTraced bounds the text of one traced value, maxTracedText one string in it.
const (
	maxTraced     = 8 << 10
	maxTracedText = 500 // runes
)

// traced are the members whose texts a trace shows. Of any other text it has the
// size: output, input, what findings quote, and whatever is added later. The
// state of an approval is not among them, for with it a command is approved.
var traced = map[string]bool{
	"execId": true, "command": true, "argv": true, "shell": true, "cwd": true, "envInherit": true, "onBackground": true,
	"mode": true, "network": true, "reads": true, "require": true, "name": true, "writable": true,
	"stream": true, "encoding": true, "signal": true, "action": true, "ruleId": true, "grantId": true,
	"kind": true, "type": true, "reason": true, "decision": true, "status": true, "section": true, "profile": true, "uri": true,
}

// hiddenBelow are the members of which a trace shows nothing but names.
var hiddenBelow = map[string]bool{"env": true, "stdin": true}

// redacted is a JSON value for a trace: names, numbers, and the texts of traced.
func redacted(raw []byte) string {
	r := redactor{in: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	r.value("", false)
	if r.out.Len() > maxTraced {
		r.out.Truncate(maxTraced)
		return display.Clip(r.out.String(), maxTraced) + "…" // a rune that was cut becomes U+FFFD
	}
	return r.out.String()
}

type redactor struct {
	in  *jsontext.Decoder
	out bytes.Buffer
}

// value writes the next value, which is that of the member name. It reports whether to go
// on: not after an error, and not beyond what is shown.
func (r *redactor) value(name string, hidden bool) bool {
	t, err := r.in.ReadToken()
	if err != nil || r.out.Len() > maxTraced {
		return false
	}
	switch k := t.Kind(); {
	case k == '{' || k == '[':
		return r.inside(k, name, hidden)
	case hidden:
		r.out.WriteString("(hidden)")
	case k != '"':
		r.out.WriteString(t.String())
	case traced[name]:
		r.out.WriteString(strconv.Quote(display.Clip(t.String(), maxTracedText)))
	default:
		fmt.Fprintf(&r.out, "(%d bytes)", len(t.String()))
	}
	return true
}

// inside writes the members of an object or the elements of an array, which count
// as values of the array's name.
func (r *redactor) inside(open jsontext.Kind, name string, hidden bool) bool {
	r.out.WriteByte(byte(open))
	for n := 0; r.in.PeekKind() != '}' && r.in.PeekKind() != ']'; n++ {
		if n > 0 {
			r.out.WriteByte(',')
		}
		at, below := name, hidden
		if open == '{' {
			t, err := r.in.ReadToken()
			if err != nil {
				return false
			}
			at = t.String()
			below = hidden || hiddenBelow[at]
			r.out.WriteString(strconv.Quote(display.Line(at)) + ":")
		}
		if !r.value(at, below) {
			return false
		}
	}
	_, err := r.in.ReadToken()
	r.out.WriteByte(byte(open) + 2) // the closing bracket in ASCII
	return err == nil
}
