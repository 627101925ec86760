package gocache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func id(text string) []byte { s := sha256.Sum256([]byte(text)); return s[:] }

func filled(t *testing.T, body string) store {
	t.Helper()
	s := store(t.TempDir())
	if _, err := s.put(id("action"), id(body), []byte(body)); err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheSandboxsOwnResultComesFirst(t *testing.T) {
	own, behind := filled(t, "own"), filled(t, "the user's")
	get := request{Command: "get", ActionID: id("action")}
	if a := respond(get, nil, own, behind); read(t, a.DiskPath) != "own" || a.Size != 3 {
		t.Errorf("%+v", a)
	}
	if a := respond(get, nil, store(t.TempDir()), behind); read(t, a.DiskPath) != "the user's" {
		t.Errorf("%+v", a)
	}
	if a := respond(get, nil, own, ""); a.Miss {
		t.Errorf("%+v", a)
	}
	if a := respond(request{Command: "get", ActionID: id("other")}, nil, own, behind); !a.Miss {
		t.Errorf("%+v", a)
	}
}

// go may be writing what is looked for, and commands may have written anything.
func TestAnEntryThatIsNotWholeIsNone(t *testing.T) {
	for name, spoil := range map[string]func(s store) error{
		"cut off":        func(s store) error { return os.Truncate(s.file(id("body"), data), 1) },
		"gone":           func(s store) error { return os.Remove(s.file(id("body"), data)) },
		"empty action":   func(s store) error { return os.Truncate(s.file(id("action"), action), 0) },
		"half an action": func(s store) error { return os.Truncate(s.file(id("action"), action), 100) },
		"another's":      func(s store) error { return os.Rename(s.file(id("action"), action), s.file(id("action"), "x")) },
		"no regular file": func(s store) error {
			p := s.file(id("body"), data)
			return errors.Join(os.Remove(p), os.Symlink(filepath.Dir(p), p))
		},
		"a name as an id": func(s store) error {
			return os.WriteFile(s.file(id("action"), action), []byte("v1 "+strings.Repeat("../", 20)+" x 1 1\n"), 0o600)
		},
	} {
		s := filled(t, "body")
		if err := spoil(s); err != nil {
			t.Fatal(name, err)
		}
		if e, ok := s.get(id("action")); ok {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if _, ok := store("").get(id("action")); ok {
		t.Error("no cache has an entry")
	}
	if a := respond(request{Command: "put", ActionID: []byte("../x"), OutputID: id("")}, nil, store(t.TempDir()), ""); a.Err == "" {
		t.Error("an id that is none was kept")
	}
}

func TestWhatIsNotUsedIsTrimmed(t *testing.T) {
	s, now := filled(t, "used"), time.Now()
	if _, err := s.put(id("old action"), id("old"), []byte("old")); err != nil {
		t.Fatal(err)
	}
	then := now.Add(-2 * keep)
	for _, f := range []string{s.file(id("old action"), action), s.file(id("old"), data)} {
		if err := os.Chtimes(f, then, then); err != nil {
			t.Fatal(err)
		}
	}
	s.trim(now)
	if _, ok := s.get(id("action")); !ok {
		t.Error("what is used was removed")
	}
	if _, ok := s.get(id("old action")); ok {
		t.Error("what is old stayed")
	}
	if _, err := s.put(id("old action"), id("old"), []byte("old")); err != nil {
		t.Fatal(err)
	}
	_ = os.Chtimes(s.file(id("old action"), action), then, then)
	s.trim(now.Add(time.Hour))
	if _, err := os.Stat(s.file(id("old action"), action)); err != nil {
		t.Error("it was trimmed again at once")
	}
}

func TestTheProtocol(t *testing.T) {
	own := store(t.TempDir())
	in := `{"ID":1,"Command":"get","ActionID":"` + b64(id("action")) + `"}` + "\n\n" +
		`{"ID":2,"Command":"put","ActionID":"` + b64(id("action")) + `","OutputID":"` + b64(id("x")) + `","BodySize":1}` + "\n\n\"" + b64([]byte("x")) + "\"\n" +
		`{"ID":3,"Command":"put","ActionID":"` + b64(id("empty")) + `","OutputID":"` + b64(id("")) + `"}` + "\n\n" +
		`{"ID":4,"Command":"get2"}` + "\n\n" + `{"ID":5,"Command":"close"}` + "\n\n"
	var out bytes.Buffer
	if err := serve(strings.NewReader(in), &out, own, ""); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{
		`{"ID":0,"KnownCommands":["get","put","close"]}`, `{"ID":1,"Miss":true}`, `{"ID":2,"DiskPath":"`, `{"ID":3,"DiskPath":"`, `{"ID":4,"Err":"`, `{"ID":5}`,
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("%s, want %s…", lines[i], want)
		}
	}
	if e, ok := own.get(id("empty")); !ok || e.size != 0 {
		t.Error("an empty output was not kept")
	}
}
