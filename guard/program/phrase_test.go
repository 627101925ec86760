package program

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// One line each: a phrase, and command lines that hold it; after "//" those that don't.
const phraseCases = `
start|stop             start x; stop          // status; x start
db+drop*               db drop; db drop-all   // db; drop
.                      x; -v                  // --version
.+!-[lV]+!--list       x; -a                  // -l; -al; --list; --lis
delete+--all           delete --all; delete --all x // delete; delete -- --all
--mode=prod*           --mode=prod --x; --mode production // --mode dev; --mode
-t=x                   -t x; -t=x             // -tx; -t y
-[ab]                  -xa; -b                // -x; --ab; -- -a
/im|/fi                /IM x; -fi             // im
^user|group+^/add      USER /Add; group x /add // users /add; user
~drop+~table           -e DROP_TABLE          // -e drop
!~x                    y                      // axe
drop+@only             drop; drop --now       // drop x
restore+%              restore .; restore src/ // restore a.go
cp+$                   cp .env x              // cp a x
@alone                                        // x
*+up                   a up                   // up; a b up
^tell␣*␣sleep          Tell␣it␣to␣sleep       // tell␣sleep; tell␣it␣to␣sleep␣x
`

// A phrase about a verb is about its own options and operands.
func TestVerbs(t *testing.T) {
	m, err := Parse("x", `
  global -C:
  verb push -o:
  means a push+-f|--force
  means b push+$`)
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"push -f": "a", "push -uf": "a", "-C push push --force": "a", "push -o -f": "", "push -- -f": "",
		"-C push pull -f": "", "push .env": "b", "push -o .env": "",
	} {
		for _, meaning := range []string{"a", "b"} {
			var args []effect.Arg
			for word := range strings.FieldsSeq(command) {
				args = append(args, effect.Arg{Text: word})
			}
			if got := m.says(meaning, "x", args); got != (meaning == want) {
				t.Errorf("%q: %s: %t", command, meaning, got)
			}
		}
	}
}

func TestPhrases(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(phraseCases)) {
		phrase, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		yes, no, _ := strings.Cut(rest, "//")
		for want, list := range map[bool]string{true: yes, false: no} {
			for command := range strings.SplitSeq(list, ";") {
				var args []effect.Arg
				for word := range strings.FieldsSeq(command) {
					args = append(args, effect.Arg{Text: strings.ReplaceAll(word, "␣", " ")})
				}
				m := &Model{Means: map[string][]Phrase{"x": {phraseOf(phrase)}}}
				if got := m.says("x", "no-such-program", args); got != want {
					t.Errorf("%s: %q: %t", phrase, command, got)
				}
			}
		}
	}
}
