package argv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// The reader, as one line each: roles and options; the argument; what it is read as,
// options with their values, then operands with their roles.
const readings = `
::: -m:                | -m text x                  | -m(text) x:
::: -m:                | -mtext x                   | -m(text) x:
::: -m:                | -am text                   | -a -m(text)
::: -m:                | -am                        | -a -m
::: -m: --message:     | --message=text x           | --message(text) x:
::: -m: --message:     | --mess text x              | --message(text) x:
::: --message:         | --m text                   | --m text:
::: -m:                | -rfrfrf x                  | -r -f x:
::: -o:                | -o=json                    | -o(json)
::: -d:                | -d= -f1                    | -d(=) -f -1
::: -chdir:            | -chdir=infra plan          | -chdir(infra) plan:
::: -exec:             | -exec rm                   | -exec(rm)
::: -m:                | -- -m text                 | -m: text:
::: -m:                | - x                        | -: x:
.<> -t>                | a b c                      | a< b< c>
=.? -e=                | s/a/b/ f                   | s/a/b/= f?
=<< -e=                | -e s/a/b/ f                | -e(s/a/b/) f<
=<< -f~                | -f s.sed f                 | -f(s.sed) f<
`

func args(text string) (out []effect.Arg) {
	for _, word := range strings.Fields(text) {
		out = append(out, effect.Arg{Text: word})
	}
	return out
}

func TestOneReader(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(readings)) {
		parts := strings.Split(line, "|")
		roles, flags, _ := strings.Cut(strings.TrimSpace(parts[0]), " ")
		s := New(roles, flags)
		var got []string
		opts, _ := s.Options(args(parts[1]))
		for _, o := range opts {
			got = append(got, o.Name)
			if o.Valued {
				got[len(got)-1] += "(" + o.Value.Text + ")"
			}
		}
		_, operands, _ := s.Split(args(parts[1]))
		for _, o := range operands {
			got = append(got, o.Text+string(o.Role))
		}
		if want := strings.TrimSpace(parts[2]); strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", line, got, want)
		}
	}
}

func TestWhatStandsBeforeTheCommand(t *testing.T) {
	s := New(":::", "-u: --user: -C@")
	for text, want := range map[string]string{
		"-u root ls -la":      "[root] ls -la",
		"--user=root -- ls":   "[root] ls",
		"-nu root ls":         "[root] ls",
		"-C /tmp -n ls -C x":  "[/tmp -n] ls -C x",
		"-u":                  "[-u] ",
		"--us root --user=me": "[root me] ",
	} {
		values, rest := s.Leading(args(text))
		var texts []string
		for _, v := range values {
			texts = append(texts, v.Text)
		}
		if got := fmt.Sprint(texts, " ", strings.Join(effect.Texts(rest), " ")); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What is between the brackets is the kind of the option that carries code.
func TestCarriers(t *testing.T) {
	tar := "-I,--use-compress-program=filter --checkpoint-action=checkpoint !--checkpoint -B=path"
	for row, wants := range map[string]map[string]string{
		tar: {
			"-I x":                         "-I(filter) x true",
			"-Ix":                          "-I(filter) x false",
			"--use-compress-program=x":     "--use-compress-program(filter) x false",
			"--use-comp x":                 "--use-comp(filter) x true",
			"--checkpoint 1":               "--checkpoint() --checkpoint false",
			"-f a.tar":                     "-f() -f true",
			"-B/dir":                       "-B(path) /dir false",
			"--checkpoint-action=exec=id":  "--checkpoint-action(checkpoint) exec=id false",
			"--unknown=x":                  "--unknown() --unknown=x false",
			"--checkpoint-action exec=id":  "--checkpoint-action(checkpoint) exec=id true",
			"--use-compress-program":       "--use-compress-program() --use-compress-program false",
			"--checkpoint-act=exec=sh x y": "--checkpoint-act(checkpoint) exec=sh false",
		},
		"-javaagent=loaded -ex=gdb": { // one option is one word
			"-javaagent:x.jar": "-javaagent(loaded) x.jar false",
			"-ex run":          "-ex(gdb) run true",
			"-e":               "-e() -e false",
		},
	} {
		h := NewCarrier(row, New(":::", "-f: --file:"))
		for text, want := range wants {
			a := args(text)
			name, kind, value, next := h.Read(a[0], a[1:])
			if got := fmt.Sprintf("%s(%s) %s %t", name, kind, value.Text, next); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
}

func TestValuesInTheirSpellings(t *testing.T) {
	for text, want := range map[string]string{
		"-o x":          "x",
		"-ox":           "x",
		"-sSo x":        "x",
		"-sox":          "x",
		"--output x":    "x",
		"--output=x -o": "x",
		"--outputs=x":   "",
	} {
		if got := strings.Join(effect.Texts(Values(args(text), "-o", "--output")), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
