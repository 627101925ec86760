package language

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"github.com/pillion-sidecar/pillion/config"
)

// No text makes the server fail, wherever the cursor is; what it marks and edits lies in
// the text, as an editor counts it; and no fix makes a key that may not be in the file.
func FuzzDocument(f *testing.F) {
	files, err := filepath.Glob("../../testdata/policy/*/*.toml")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), 30)
		f.Add(string(data[:len(data)/2]), len(data)/2)
	}
	for _, text := range []string{
		"", "\r", "a\rb = 1", "\uFEFF[", "x = \"\xff", "[rules]\n😀 = 1", "a.b.c = {d = [1, {e = 2}]}", ".=", "[[]]", "\"=\"", "[rule.0]\n", "[\"", "a=[{", "\"\"=1\n\"\"=1", "[#]",
		"rules.\"a=b\" = \"ask\"", "shell = {sandbox = false}\r\n", "env = {HOME = \"\"", "ſandbox = 1", "[[ule]]\nmessage=\"\"",
	} {
		f.Add(text, len(text))
	}
	f.Fuzz(func(t *testing.T, content string, offset int) {
		if len(content) > 4<<10 {
			return // it takes no other way, only longer
		}
		content = string([]rune(content)) // as decoded from JSON
		for _, kind := range []config.FileKind{user, workspaceFile} {
			d := opened(t, kind, content)
			at := d.text.offset(d.text.position(offset))
			d.hover(at)
			for _, o := range d.completions(at) {
				d.inText(t, o.TextEdit.Range)
			}
			for _, m := range d.Mistakes {
				d.inText(t, d.diagnostic(m).Range)
				for _, x := range d.fixes(m) {
					d.inText(t, d.text.span(x.at))
					after := opened(t, kind, content[:x.at.From]+x.text+content[x.at.To:])
					for _, p := range after.Parts {
						if p.Key.To > 0 && p.Key.From == x.at.From && x.text != "" && after.keys.at(p.Pointer) == nil {
							t.Errorf("%q makes of %q a key that may not be there", x.title, content)
						}
					}
				}
			}
		}
	})
}

func (d *document) inText(t *testing.T, r span) {
	t.Helper()
	for _, p := range []position{r.Start, r.End} {
		if p.Line < 0 || p.Line >= len(d.text.starts) {
			t.Fatalf("%q has no line %d", d.text.s, p.Line)
		}
		in := d.text.bounds(p.Line)
		if units := len(utf16.Encode([]rune(d.text.s[in.From:in.To]))); p.Character < 0 || p.Character > units {
			t.Fatalf("%q: line %d has %d units, not %d", d.text.s, p.Line, units, p.Character)
		}
	}
	if r.Start.Line > r.End.Line || r.Start.Line == r.End.Line && r.Start.Character > r.End.Character {
		t.Fatalf("%q: the range %v is reversed", d.text.s, r)
	}
}
