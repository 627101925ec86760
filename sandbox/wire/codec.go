package wire

import (
	"encoding/binary"
	"errors"
	"reflect"
)

var errShort = errors.New("truncated message")

// Encode writes a value whose fields are all exported, in the order of its type; Decode
// reads all of it. encoding/gob would describe the types in each message, and learn
// them anew in every process: a runner is started for one command.
func Encode(v any) []byte { return put(nil, reflect.ValueOf(v)) }

// Decode fails when there is less than what to points to has, or more.
func Decode(b []byte, to any) error {
	d := &decoder{b: b}
	d.take(reflect.ValueOf(to).Elem())
	if d.err == nil && len(d.b) > 0 {
		d.err = errShort
	}
	return d.err
}

func put(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			b = put(b, v.Field(i))
		}
	case reflect.Slice:
		b = binary.AppendVarint(b, int64(v.Len()))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			b = put(b, v.Index(i))
		}
	case reflect.Map:
		b = binary.AppendVarint(b, int64(v.Len()))
		for key, elem := range v.Seq2() {
			b = put(put(b, key), elem)
		}
	case reflect.Pointer:
		b = put(b, reflect.ValueOf(!v.IsNil()))
		if !v.IsNil() {
			b = put(b, v.Elem())
		}
	case reflect.String:
		b = append(binary.AppendVarint(b, int64(v.Len())), v.String()...)
	case reflect.Bool:
		n := int64(0)
		if v.Bool() {
			n = 1
		}
		b = binary.AppendVarint(b, n)
	case reflect.Uint8, reflect.Uint64:
		b = binary.AppendVarint(b, int64(v.Uint()))
	default:
		b = binary.AppendVarint(b, v.Int())
	}
	return b
}

// decoder keeps its first error.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.b, d.err = nil, errShort
		return 0
	}
	d.b = d.b[n:]
	return v
}

// count is how many elements follow: no more than there are bytes.
func (d *decoder) count() int {
	n := d.int()
	if n < 0 || n > int64(len(d.b)) {
		d.b, d.err = nil, errShort
		return 0
	}
	return int(n)
}

func (d *decoder) take(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			d.take(v.Field(i))
		}
	case reflect.Slice:
		if n := d.count(); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			d.take(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range d.count() {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			d.take(key)
			d.take(elem)
			v.SetMapIndex(key, elem)
		}
	case reflect.Pointer:
		if d.int() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			d.take(v.Elem())
		}
	case reflect.String:
		n := d.count()
		v.SetString(string(d.b[:n]))
		d.b = d.b[n:]
	case reflect.Bool:
		v.SetBool(d.int() == 1)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(d.int()))
	default:
		v.SetInt(d.int())
	}
}
