package pages

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The moving picture of the README shows what a denied command prints today. If not,
// test/picture/run records it again.
func TestTheMovingPictureIsTrue(t *testing.T) {
	shown := pictured(t, "denied")
	if len(shown) < 10 || shown[0] != "$" || shown[1] != "pillion" {
		t.Fatalf("a prompt, a command and what it prints are in the picture; found %q", shown)
	}
	source, err := os.ReadFile(filepath.Join(module, "test", "picture", "record.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	_, command, ok := strings.Cut(string(source), `id: "denied", command: "`)
	command, _, ends := strings.Cut(command, `"`)
	if !ok || !ends {
		t.Fatal("record.mjs has no denied command")
	}
	printed := newSession(t).run(t, command)
	want := strings.Join(strings.Fields("$ "+command+"\n"+printed.out+printed.err), " ")
	if got := strings.Join(shown, " "); got != want {
		t.Errorf("docs/img/demo.svg is out of date; run: test/picture/run\n got %s\nwant %s", got, want)
	}
}

// pictured are the words in one group of the picture.
func pictured(t *testing.T, id string) (words []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(module, "docs", "img", "demo.svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := xml.NewDecoder(f)
	for depth := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth > 0 || len(token.Attr) > 0 && token.Attr[0].Name.Local == "id" && token.Attr[0].Value == id {
				depth++
			}
		case xml.EndElement:
			depth = max(depth-1, 0)
		case xml.CharData:
			if depth > 0 {
				words = append(words, strings.Fields(string(token))...)
			}
		}
	}
}
