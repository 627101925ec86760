package guard

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/canon"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// The ways a command runs (Verdict.RunAs).
const (
	runAsArgv      = "argv"      // without a shell
	runAsCanonical = "canonical" // the text regenerated from what was judged
	runAsWritten   = "written"   // the text as it came, in the sandbox all the same
)

// run says how the executor runs the command. Only what is allowed without a
// person's look, was read completely and holds no further shell text runs as
// canonical text; and every way of reading the text must give the same.
func (v *Verdict) run(in shell.Input, walked []*shell.Walker) {
	if len(in.Argv) > 0 {
		v.RunAs = runAsArgv
		if v.Decision != rule.Allow && v.Parse.Complete && len(v.Parse.Opaque) == 0 {
			v.Meaning = sense(in, walked)
			v.Told = v.Meaning != ""
		}
		return
	}
	// Single quotes mean something else to a shell of another family.
	if in.Dialect != "" && in.Dialect != "posix" && in.Dialect != "bash" {
		return
	}
	if !v.Parse.Complete || len(v.Parse.Opaque) > 0 {
		return
	}
	text, ok := canonical(in, walked)
	if v.Decision == rule.Allow {
		if ok {
			v.RunAs, v.Canonical = runAsCanonical, text
		}
		return
	}
	if v.Meaning = sense(in, walked); v.Meaning != "" {
		v.Told = true
		return
	}
	v.Meaning = text
}

// canonical is the text that every way of reading a command gives.
func canonical(in shell.Input, walked []*shell.Walker) (text string, ok bool) {
	for i, w := range walked {
		if w.File == nil || w.Inner {
			return "", false
		}
		if t, ok := canon.CanonicalText(w.File, len(in.Command)); !ok || i > 0 && t != text {
			return "", false
		} else {
			text = t
		}
	}
	return text, true
}

// Exec is one program that Check found in a command. Known says that Argv is
// what the program will get, and not partly made at run time.
type Exec struct {
	Argv  []string
	Known bool
}

// Execs lists the programs a command runs, builtins included, in the order they
// are met: one list for each way of reading the text. It is how the guard's idea
// of a command is compared with what a shell does.
func Execs(in shell.Input, p Policy, f place.Facts, home string) [][]Exec {
	var lists [][]Exec
	for _, lang := range shell.Passes(in) {
		w := newWalker(in, p, f, home, lang)
		w.Walk()
		var list []Exec
		for _, e := range w.Effects {
			if e.Kind == effect.Exec {
				list = append(list, execOf(&e))
			}
		}
		lists = append(lists, list)
	}
	return lists
}

func execOf(e *effect.Effect) Exec {
	x := Exec{Argv: append([]string{e.Text}, effect.Texts(e.Args)...), Known: true}
	for _, a := range x.Argv {
		x.Known = x.Known && !strings.Contains(a, effect.Unknown)
	}
	return x
}

// sense is what a command does, a line for each thing. All spellings of a command have the
// same: quoted, in brackets, from a variable, after `sh -c`, with absolute paths or without a
// shell. It is "" where the text doesn't say all that is done.
func sense(in shell.Input, walked []*shell.Walker) (text string) {
	if said := cmp.Or(in.Command, strings.Join(in.Argv, " ")); feeds(said) || assignsForOthers(said) {
		return ""
	}
	for i, w := range walked {
		if w.Stopped || len(w.Opaque) > 0 {
			return ""
		}
		next := senseOf(w.Effects)
		if next == "" || i > 0 && next != text {
			return ""
		}
		text = next
	}
	return text
}

func senseOf(effects []effect.Effect) string {
	var b strings.Builder
	places := placesOf(effects)
	programs := 0
	for i := range effects {
		e := &effects[i]
		switch {
		case e.Kind == effect.Text, e.Kind == effect.Command, e.Kind == effect.Write && e.Path == "/dev/null":
			continue
		case e.Kind == effect.Problem, e.Unknown, e.Maybe:
			return ""
		case e.Kind != effect.Exec:
			fmt.Fprintf(&b, "%d %q %q %t %q\n", e.Kind, e.Name, cmp.Or(e.Path, e.Text), e.Recursive, e.Sends)
			continue
		case onlyStarts(e):
			continue
		case elsewhere(e), startsOthers.Has(e.Name), codeIsRead(e.Name), unseen(e):
			return ""
		}
		programs++
		b.WriteString(e.Name)
		for _, a := range e.Args {
			if open(a) {
				return ""
			}
			if at, ok := places[a.Text]; ok {
				a.Text = at
			}
			fmt.Fprintf(&b, " %q", a.Text)
		}
		b.WriteByte('\n')
	}
	if programs == 0 {
		return ""
	}
	return b.String()
}

// elsewhere reports a program that is named by a path, and not by the system's.
func elsewhere(e *effect.Effect) bool {
	system := []string{"/bin/" + e.Name, "/usr/bin/" + e.Name}
	return strings.Contains(e.Text, "/") && !slices.Contains(system, path.Clean(e.Text))
}

// open reports a word that the shell makes something of at run time, or one with the same
// letters in quotes.
func open(a effect.Arg) bool {
	return strings.ContainsAny(a.Text, "*?[$") || strings.HasPrefix(a.Text, "~") ||
		strings.Contains(a.Text, effect.Unknown) || a.Many || len(a.From) > 0
}

// placesOf says where the paths of a command lead, as they are written in it.
func placesOf(effects []effect.Effect) map[string]string {
	m := map[string]string{}
	for i := range effects {
		e := &effects[i]
		if e.Path == "" || e.Kind == effect.Exec {
			continue
		}
		if at, ok := m[e.Text]; ok && at != e.Path {
			m[e.Text] = e.Text // after a cd it is another one
			continue
		}
		m[e.Text] = e.Path
	}
	return m
}

// onlyStarts reports a program that does nothing but what follows it says, which is read.
func onlyStarts(e *effect.Effect) bool {
	args := effect.Texts(e.Args)
	switch {
	case e.Text != e.Name || len(args) == 0:
		return false
	case e.Name == "cd":
		return len(args) == 1 && !strings.HasPrefix(args[0], "-")
	case e.Name == "eval":
		return !feeds(strings.Join(args, " "))
	case slices.Contains([]string{"sh", "bash", "dash"}, e.Name):
		return len(args) == 2 && args[0] == "-c" && !feeds(args[1])
	case slices.Contains([]string{"env", "command", "exec"}, e.Name):
		return !strings.HasPrefix(args[0], "-") && !strings.Contains(args[0], "=")
	}
	return false
}

// feeds reports shell text in which something may go from or to a file or another program,
// or on in the background: what that is, no effect says.
func feeds(text string) bool {
	for _, harmless := range []string{" 2>&1", " 2>/dev/null", " >/dev/null", " > /dev/null", "&&", "||"} {
		text = strings.ReplaceAll(text, harmless, " ")
	}
	return strings.ContainsAny(text, "<>|&")
}

// assignsForOthers reports text that may set a variable of the environment. Those of a
// shell alone have short plain names.
func assignsForOthers(text string) bool {
	for i := range len(text) {
		if text[i] != '=' {
			continue
		}
		begin := i
		for begin > 0 && (text[begin-1] == '_' || text[begin-1] >= '0' && text[begin-1] <= '9' ||
			text[begin-1] >= 'A' && text[begin-1] <= 'Z' || text[begin-1] >= 'a' && text[begin-1] <= 'z') {
			begin--
		}
		if name := text[begin:i]; strings.ToLower(name) != name || strings.Contains(name, "_") {
			return true
		}
	}
	return false
}
