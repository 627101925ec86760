package rpc

import (
	"crypto/sha256"
	"fmt"
	"io"
	"reflect"
	"sync"
)

// SchemaHash identifies the methods and types of this build.
var SchemaHash = sync.OnceValue(func() string {
	h := sha256.New()
	seen := map[reflect.Type]bool{}
	for _, m := range Methods {
		fmt.Fprintln(h, m.Name, m.Notification, m.ToClient, m.BothWays)
		for _, v := range append([]any{m.Params, m.Result}, m.Partial...) {
			if v != nil {
				describe(h, reflect.TypeOf(v), seen)
			}
		}
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
})

// describe writes a type's shape: field names are tags, which is what a client
// sees.
func describe(w io.Writer, t reflect.Type, seen map[reflect.Type]bool) {
	fmt.Fprintln(w, t.Kind(), t.Name())
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		describe(w, t.Elem(), seen)
	case reflect.Map:
		describe(w, t.Key(), seen)
		describe(w, t.Elem(), seen)
	case reflect.Struct:
		if seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintln(w, f.Name, f.Tag.Get("json"))
			describe(w, f.Type, seen)
		}
	}
}
