package protocol

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// Decode reads params into out. Names that occur twice and values of the wrong
// type are refused; unknown members are ignored.
func Decode(params []byte, out any) error {
	if err := json.Unmarshal(object(params), out); err != nil {
		return paramError(err, nil)
	}
	return nil
}

// DecodeStrict also refuses unknown members, NUL in any string, null where nullable
// doesn't allow it, and a number outside of what its member's tag "range" says. The package json alone distinguishes "Command" from "command"; a NUL
// would end an argument early in the kernel.
func DecodeStrict(params []byte, out any, nullable func(jsontext.Pointer) bool) error {
	params = object(params)
	t := reflect.TypeOf(out)
	if bad := walk(params, t, nullable); bad != nil {
		return bad
	}
	if err := json.Unmarshal(params, out, json.RejectUnknownMembers(true)); err != nil {
		return paramError(err, t)
	}
	return nil
}

// object stands in for absent params, which some libraries write as null.
func object(params []byte) []byte {
	if len(params) == 0 || string(params) == "null" {
		return []byte("{}")
	}
	return params
}

func walk(params []byte, out reflect.Type, nullable func(jsontext.Pointer) bool) *InvalidParamsData {
	d := jsontext.NewDecoder(bytes.NewBuffer(params))
	for {
		t, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return paramError(err, out)
		case t.Kind() == '"' && strings.ContainsRune(t.String(), 0):
			return Invalid(string(d.StackPointer()), "a string without NUL", "a string with NUL")
		case t.Kind() == 'n' && !nullable(d.StackPointer()):
			return Invalid(string(d.StackPointer()), "a value (leave the member out for the default)", "null")
		case t.Kind() == '0':
			if bad := outside(out, d.StackPointer(), t.String()); bad != nil {
				return bad
			}
		}
	}
}

// outside refuses a number that is not in its member's range, such as `range:"1 to 100 bytes"`:
// the words that a client reads are what is checked.
func outside(out reflect.Type, p jsontext.Pointer, number string) *InvalidParamsData {
	_, f, left := config.Find(out, slices.Collect(p.Tokens()))
	least, most, bounded := Bounds(f.Tag)
	if !bounded || len(left) > 0 {
		return nil
	}
	if n, err := strconv.ParseInt(number, 10, 64); err != nil || n < least || n > most {
		return Invalid(string(p), "an integer, "+f.Tag.Get("range"), number)
	}
	return nil
}

// Bounds are what a member's tag "range" says: the least and the most that it may be.
func Bounds(tag reflect.StructTag) (least, most int64, ok bool) {
	_, err := fmt.Sscanf(tag.Get("range"), "%d to %d", &least, &most)
	return least, most, err == nil
}

// paramError says where and what, never the value: it may be one of env.
func paramError(err error, out reflect.Type) *InvalidParamsData {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return unknownMember(semantic.JSONPointer, out)
	case errors.As(err, &semantic):
		return Invalid(string(semantic.JSONPointer), expectation(semantic), kindName(semantic.JSONKind))
	case errors.As(err, &syntactic) && errors.Is(err, jsontext.ErrDuplicateName):
		p := syntactic.JSONPointer
		return &InvalidParamsData{
			Path: Clip(string(p)), Expected: "the member once", Got: "it twice", Duplicate: []string{Clip(p.LastToken())},
		}
	}
	return Invalid("", "params of this method", "something else")
}

// Unreadable says where and what of a text that is no message of ours, named by whole; the
// library's own words are of Go's types.
func Unreadable(err error, whole string) error {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		at := cmp.Or(string(semantic.JSONPointer), whole)
		return fmt.Errorf("%s: expected %s, got %s", at, expectation(semantic), kindName(semantic.JSONKind))
	case errors.As(err, &syntactic) && errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("not valid JSON: it ends after %d bytes", syntactic.ByteOffset)
	case errors.As(err, &syntactic):
		return fmt.Errorf("not valid JSON at byte %d: %w", syntactic.ByteOffset, syntactic.Err)
	}
	return err
}

// notServed are members of the protocol that this server doesn't serve yet. They
// are refused like unknown ones, but a person should learn why.
var notServed = map[jsontext.Pointer]bool{
	"/output/lag": true,
}

// unknownMember names the member that was probably meant, or all that there are.
func unknownMember(p jsontext.Pointer, out reflect.Type) *InvalidParamsData {
	name, expected := Clip(p.LastToken()), "a member of the protocol, spelled exactly"
	if t, _, _ := config.Find(out, slices.Collect(p.Tokens())); t.Kind() == reflect.Struct {
		names := config.Members(t)
		if near := config.Nearest(name, names); near != "" {
			expected += " (did you mean " + near + "?)"
		} else if len(names) > 0 {
			expected += ": " + strings.Join(names, ", ")
		}
	}
	if notServed[withinCheck(p)] {
		expected = "no such member: this server does not serve it yet"
	}
	return &InvalidParamsData{Path: Clip(string(p)), Expected: expected, Got: fmt.Sprintf("%.80q", name), Unknown: []string{name}}
}

// Invalid says which member is wrong, what would be right and what is there.
func Invalid(path, expected, got string) *InvalidParamsData {
	return &InvalidParamsData{Path: Clip(path), Expected: expected, Got: Clip(got)}
}

// expectation is what a member takes.
func expectation(e *json.SemanticError) string {
	if e.GoType == nil {
		return "another value"
	}
	switch e.GoType {
	case reflect.TypeFor[ProgressToken](), reflect.TypeFor[RequestID]():
		if e.JSONKind == '"' {
			return fmt.Sprintf("at most %d bytes", jsonrpc.MaxEcho)
		}
		return "a string or an integer"
	case reflect.TypeFor[[]byte]():
		return "base64"
	}
	switch e.GoType.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// kindName is a kind of JSON in words.
func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "something else"
}

// maxErrorText bounds what an error says: much of it is what a client has sent.
const maxErrorText = 8 << 10

// Clip cuts a text that is too long, between characters.
func Clip(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	return strings.ToValidUTF8(text[:maxErrorText], "") + "…"
}

// DecodeTool decodes what a tool is given as strictly as params that control commands.
func DecodeTool(arguments []byte, out any) error { return DecodeStrict(arguments, out, NoNull) }
