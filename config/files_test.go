package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kindOfCase: the files of testdata/policy have other names than in life.
func kindOfCase(path string) FileKind {
	if strings.HasPrefix(filepath.Base(path), "workspace-") {
		return WorkspaceFileKind
	}
	return UserFile
}

func cases(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/policy/" + dir + "/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	return files
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestGoodFilesAreTaken(t *testing.T) {
	for _, file := range cases(t, "good") {
		if _, err := parse(kindOfCase(file), file, read(t, file)); err != nil {
			t.Error(err)
		}
	}
}

// Every "want:" of a bad file is one problem, and there are no others.
func TestBadFilesNameEveryMistake(t *testing.T) {
	for _, file := range cases(t, "bad") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := read(t, file)
			_, err := parse(kindOfCase(file), "F", data)
			var got *FileError
			if !errors.As(err, &got) {
				t.Fatalf("no error: %v", err)
			}
			var want []string
			for line := range strings.Lines(string(data)) {
				if _, text, ok := strings.Cut(line, "# want: "); ok {
					want = append(want, "F:"+strings.TrimSpace(text))
				}
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(want) || len(got.Problems) != len(want) {
				t.Fatalf("got:\n%s\nwant:\n%s", err, strings.Join(want, "\n"))
			}
			for i, w := range want {
				if !strings.HasPrefix(lines[i], w) {
					t.Errorf("got  %s\nwant %s", lines[i], w)
				}
			}
		})
	}
}

func TestBytesOfAFile(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"byte order mark": {"\uFEFFallowOff = true\n", ""},
		"two of them":     {"\uFEFF\uFEFFallowOff = true\n", "F:1:1: not TOML"},
		"CRLF":            {"allowOff = true\r\n[sandbox]\r\nmode = \"off\"\r\n", ""},
		"CRLF counts":     {"allowOff = true\r\n\r\nx = 1\r\n", "F:3:1: x: there is no such key"},
		"invalid UTF-8":   {"allowOff = true\n# \xff", "F:2:3: it is not valid UTF-8; save it as UTF-8"},
		"NUL":             {"allowOff = true\n\x00", "F:2:1: not TOML"},
		"NUL in a string": {"roots = [\"/a\\u0000b\"]", "F:1:10: roots[0]: it holds a character that can't be seen"},
		"only a comment":  {"# nothing", ""},
		"too large":       {strings.Repeat("#", MaxFileBytes+1), "F: it is larger than 262144 bytes; make it shorter"},
		"just not":        {strings.Repeat("#", MaxFileBytes), ""},
		"nested arrays":   {"roots = " + strings.Repeat("[", 100_000), "F:1:"},
		"nested and closed": {
			"roots = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "F:1:1: no value is nested that deep",
		},
		"nested tables":     {"sandbox = " + strings.Repeat("{a=", 80_000), "F:1:"},
		"dotted keys":       {strings.Repeat("a.", 100_000) + "a = 1", "F:1:1: a: there is no such key"},
		"many tables":       {strings.Repeat("[[rule]]\n", 20_000), "F:4097:3: there are more than 4096 keys"},
		"enough wrong keys": {manyKeys("", "allowNetwrk%d = 1\n", 4000), "F:1:1: allowNetwrk0: there is no such key"},
		"many wrong keys":   {strings.Repeat("[a]\nallowNetwrk = 1\n", 10_000), "F:"},
		"many rules":        {manyKeys("[rules]\n", "\"fs/%d\" = \"deny\"\n", 10_000), "F:4097:1: there are more than 4096 keys"},
		"many paths":        {"roots = [" + strings.Repeat("\"/a\",", 50_000) + "]", "F:1:1: roots: expected at most 256 paths"},
		"a list of rules":   {"[[rules]]\nid = \"x\"", "F:1:3: [[rules]] is no list; write [[rule]]"},
		"an id as it is":    {"[rules]\nfs/read-outside = \"ask\"", "F:2:3: not TOML: expected '=' after key; a key with other characters"},
		"no decision":       {"[[rule]]\nid = \"x\"\nprefix = [\"x\"]", "F:1:3: rule[0].decision: a rule needs decision"},
		"other capitals":    {"AllowOff = true", "F:1:1: AllowOff: there is no such key; did you mean allowOff?"},
		"dates":             {"allowOff = 2020-01-01", "F:1:12: allowOff"},
		"quoted key":        {"\"allowOff\" = true", ""},
		"dotted table":      {"sandbox.mode = \"read-only\"\nsandbox.network = \"deny\"", ""},
		"twice, dotted":     {"sandbox.mode = \"read-only\"\nsandbox.mode = \"read-only\"", "F:2:9: sandbox.mode: it is there twice"},
		"twice, inline":     {"sandbox = {mode = \"read-only\", mode = \"off\"}", "F:1:32: sandbox.mode: it is there twice"},
		"value and table":   {"sandbox = 1\n[sandbox]\nmode = \"read-only\"", "F:1:11: sandbox: expected a table of keys"},
		"rules of one table": {
			"[rule]\nid = \"x\"", "F:1:",
		},
	} {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			_, err := parse(UserFile, "F", []byte(c.text))
			if took := time.Since(started); took > time.Minute {
				t.Errorf("took %s", took)
			}
			if c.want == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("got %.300v, want %s", err, c.want)
			}
		})
	}
}

// What a slip meant may be no key of that file either.
func TestASlipInAWorkspaceFileSaysWhereTheKeyBelongs(t *testing.T) {
	for text, want := range map[string]string{
		"allowNetwrk = true": "F:1:1: allowNetwrk: there is no such key; did you mean allowNetwork? That one is for your own policy.toml: a file of the workspace can only tighten",
		"rotos = []":         "F:1:1: rotos: there is no such key; did you mean roots?",
	} {
		if _, err := ParseWorkspace("F", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func manyKeys(head, format string, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestNearestIsATypoAndNotAnotherWord(t *testing.T) {
	keys := []string{"allowNetwork", "allowOff", "sandbox", "rule", "rules", "roots"}
	for word, want := range map[string]string{
		"allownetwork": "allowNetwork", "allowNetwrok": "allowNetwork", "sandboks": "sandbox", "rul": "rule", "root": "roots", "network": "", "x": "", "": "",
		strings.Repeat("a", 1000): "",
	} {
		if got := Nearest(word, keys); got != want {
			t.Errorf("%.20q: %q, want %q", word, got, want)
		}
	}
}

func TestFirstCountsTheRest(t *testing.T) {
	e := &FileError{File: "F", Problems: []Problem{{1, 2, "k", "bad"}, {3, 1, "", "worse"}}}
	if got := e.First(); got != "F:1:2: k: bad (and 1 more)" {
		t.Error(got)
	}
}

func FuzzParse(f *testing.F) {
	for _, dir := range []string{"good", "bad"} {
		files, err := filepath.Glob("../testdata/policy/" + dir + "/*.toml")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, kind := range []FileKind{UserFile, WorkspaceFileKind} {
			o, err := parse(kind, "F", data)
			var mistakes *FileError
			if err != nil && !errors.As(err, &mistakes) {
				t.Fatalf("%v is no *FileError", err)
			}
			if err != nil && len(mistakes.Problems) == 0 {
				t.Fatal("an error without a problem")
			}
			if err == nil && kind == WorkspaceFileKind {
				stricterOnly(t, o)
			}
		}
	})
}

func TestTablesWrittenInOneLineAreKnownToo(t *testing.T) {
	for text, want := range map[string]string{
		`rule = [{id = "a", decision = "ask", prefix = ["x"], wy = "b"}]`: "F:1:54: rule[0].wy: there is no such key; did you mean why?",
		"[rules.program]\nunknown = \"ask\"":                              "F:",
		"[[rule]]\n[rule.id]\nx = 1":                                      "F:",
		`limits = {timeoutMs = 1.5}`:                                      "F:1:23: limits.timeoutMs: expected a whole number",
		`sandbox = {mode = ["off"]}`:                                      "F:1:19: sandbox.mode: expected a string",
	} {
		if _, err := parse(WorkspaceFileKind, "F", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}
