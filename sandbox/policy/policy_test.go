package policy

import (
	"reflect"
	"testing"
)

func TestPolicyPathsMustBeAbsoluteAndClean(t *testing.T) {
	for _, d := range []string{"rel", "/a/../b", "/a/", ""} {
		p := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, Writable: []string{d}}
		if p.Validate() == nil {
			t.Errorf("%q was accepted", d)
		}
		p.Writable, p.Caches = nil, []string{d}
		if p.Validate() == nil {
			t.Errorf("%q was accepted for a cache", d)
		}
	}
}

func TestHomeFilesLieInTheHome(t *testing.T) {
	for path, good := range map[string]bool{".gitconfig": true, ".config/git/ignore": true, "../x": false, "/etc/x": false, "": false, "a/../../x": false} {
		p := Policy{Mode: WorkspaceWrite, Network: NetworkDeny, HomeFiles: []HomeFile{{Path: path}}}
		if (p.Validate() == nil) != good {
			t.Errorf("%q: accepted %v", path, !good)
		}
	}
}

func TestPolicyKeyTellsEveryFieldApart(t *testing.T) {
	seen := map[string]Policy{}
	for _, p := range []Policy{
		{},
		{Mode: ReadOnly},
		{Mode: WorkspaceWrite},
		{Network: NetworkAllow},
		{Reads: ReadsAll},
		{Require: RequireBestEffort},
		{Writable: []string{"/a", "/b"}},
		{Writable: []string{"/a /b"}},
		{Readable: []string{"/a"}},
		{Writable: []string{"/a"}},
		{Name: "x"},
		{Caches: []string{"/a"}},
		{Sockets: []string{"/a"}},
		{HomeFiles: []HomeFile{{Path: "a"}}},
		{HomeFiles: []HomeFile{{Text: "a"}}},
	} {
		if old, ok := seen[p.Key()]; ok {
			t.Errorf("%+v and %+v share a sandbox", old, p)
		}
		seen[p.Key()] = p
	}
}

// What somebody adds to a policy one day must not be forgotten in its key.
func TestPolicyKeyHasEveryMember(t *testing.T) {
	set := func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		default:
			v.SetInt(7)
		}
	}
	limits := reflect.TypeFor[Limits]()
	for i := range limits.NumField() {
		p := Policy{}
		set(reflect.ValueOf(&p.Limits).Elem().Field(i))
		if p.Key() == (Policy{}).Key() {
			t.Error(limits.Field(i).Name)
		}
	}
	for f := range reflect.TypeFor[Policy]().Fields() {
		p := Policy{}
		v := reflect.ValueOf(&p).Elem().FieldByIndex(f.Index)
		if f.Type == limits {
			continue
		}
		if set(v); p.Key() == (Policy{}).Key() {
			t.Error(f.Name)
		}
	}
}
