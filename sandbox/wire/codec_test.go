package wire

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Everything that a sandbox's processes need must reach them: a field that somebody
// forgets to send would be a policy that is not enforced. Every field of every message
// has a value of its own here, new ones too.
func TestMessagesTravelWhole(t *testing.T) {
	for _, message := range []any{
		new(Setup), new(Failed), new(Ready), new(Start), new(Started), new(Exited), new(Ended), new(Refused),
		new(Launch), new(Launched),
	} {
		v := reflect.ValueOf(message).Elem()
		fill(t, v, new(int))
		whole := Encode(v.Interface())
		got := reflect.New(v.Type())
		if err := Decode(whole, got.Interface()); err != nil || !reflect.DeepEqual(got.Interface(), message) {
			t.Errorf("sent %+v, received %+v, %v", message, got, err)
		}
		for n := range whole {
			if err := Decode(whole[:n], reflect.New(v.Type()).Interface()); err == nil {
				t.Errorf("%T: %d of %d bytes were enough", message, n, len(whole))
			}
		}
		if err := Decode(append(whole, 0), reflect.New(v.Type()).Interface()); err == nil {
			t.Errorf("%T: one byte too many was taken", message)
		}
	}
}

func TestValuesTravelWhole(t *testing.T) {
	type values struct {
		N  int64
		U  uint64
		A  [3]byte
		S  string
		SS []string
		M  map[string]bool
		P  *string
	}
	rapid.Check(t, func(t *rapid.T) {
		v := values{
			N: rapid.Int64().Draw(t, "n"), U: rapid.Uint64().Draw(t, "u"), A: [3]byte{0, byte(rapid.Uint8().Draw(t, "a")), 255},
			S: rapid.String().Draw(t, "s"), SS: rapid.SliceOf(rapid.String()).Draw(t, "ss"),
			M: rapid.MapOf(rapid.String(), rapid.Bool()).Draw(t, "m"), P: rapid.Ptr(rapid.String(), true).Draw(t, "p"),
		}
		if len(v.SS) == 0 {
			v.SS = nil
		}
		var got values
		if err := Decode(Encode(v), &got); err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("%+v, want %+v (%v)", got, v, err)
		}
	})
}

// fill gives every field a value of its own.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	case reflect.String:
		v.SetString(string(rune('a'+*n%26)) + v.Type().Name())
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(t, v.Index(i), n)
		}
	default:
		t.Fatalf("a %s: teach fill, put and take", v.Type())
	}
}

func TestViolationsOfTwoFramesAreJoined(t *testing.T) {
	a := policy.Violation{Op: "open", Path: "a", Count: 2}
	var v Refused
	v.Add(Refused{Total: 2, Rows: []policy.Violation{a}})
	v.Add(Refused{Total: 3, Rows: []policy.Violation{a, {Op: "open", Path: "b", Count: 1}}})
	if v.Total != 5 || len(v.Rows) != 2 || v.Rows[0].Count != 4 {
		t.Errorf("%+v", v)
	}
	for i := range 2 * policy.MaxViolations {
		v.Add(Refused{Total: 1, Rows: []policy.Violation{{Op: "open", Path: strings.Repeat("x", i), Count: 1}}})
	}
	if len(v.Rows) != policy.MaxViolations || v.Total != 5+2*policy.MaxViolations {
		t.Errorf("%d rows, %d in all", len(v.Rows), v.Total)
	}
}
