package replay

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parse reads "#id method {…}", "#id {…}", "#id error CODE {…}" or "method {…}".
func (f *frame) parse(s string) error {
	if m := forms().id.FindStringSubmatch(s); m != nil {
		f.id, s = m[1], m[2]
	}
	m := forms().method.FindStringSubmatch(s)
	switch {
	case m == nil || forms().literal.MatchString(m[1]):
		if f.id == "" {
			return errors.New("expected a method or #id")
		}
		f.body = s
	case m[1] == "error" && f.id != "":
		return f.parseError(m[2])
	default:
		f.method, f.body = m[1], m[2]
	}
	return nil
}

func (f *frame) parseError(s string) error {
	m := forms().err.FindStringSubmatch(s)
	if m == nil {
		return errors.New("expected an error code")
	}
	f.isError, f.code, f.body = true, m[1], m[3]
	if m[2] != "" {
		text, err := strconv.Unquote(m[2])
		if err != nil {
			return err
		}
		f.message = text
	}
	return nil
}

// idJSON is the frame's id as it goes over the wire: numbers and null as they
// are, anything else as a string.
func (f *frame) idJSON(names vars) (string, error) {
	if name, ok := strings.CutPrefix(f.id, "$"); ok {
		v, known := names[name]
		if !known {
			return "", fmt.Errorf("no server request is bound to $%s", name)
		}
		return string(v), nil
	}
	if _, err := strconv.ParseInt(f.id, 10, 64); err == nil || f.id == "null" {
		return f.id, nil
	}
	return strconv.Quote(strings.Trim(f.id, `"`)), nil
}

// encode is the message as JSON. The body is taken as written, so a script can
// send what a well-behaved encoder never would.
func (f *frame) encode(names vars) (string, error) {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0"`)
	if f.id != "" {
		id, err := f.idJSON(names)
		if err != nil {
			return "", err
		}
		b.WriteString(`,"id":` + id)
	}
	body := names.expand(f.body)
	switch {
	case f.method != "":
		b.WriteString(`,"method":` + strconv.Quote(f.method))
		if body != "" {
			b.WriteString(`,"params":` + body)
		}
	case f.isError:
		message := f.message
		if message == "" {
			message = "refused by the script"
		}
		b.WriteString(`,"error":{"code":` + f.code + `,"message":` + strconv.Quote(message))
		if body != "" {
			b.WriteString(`,"data":` + body)
		}
		b.WriteString("}")
	default:
		b.WriteString(`,"result":` + body)
	}
	b.WriteString("}")
	return b.String(), nil
}
