package run

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// ExShell judges the shell text that another program's own command runs.
func ExShell(w *shell.Walker, st *shell.State, construct string, a effect.Arg, text string) {
	a.Text, a.Exact = strings.TrimSpace(text), false
	seen := len(w.Effects)
	w.CommandText(st, construct+" !", a)
	HandsOver(w, construct, a, seen)
}

// Words are the words of a text, each an argument.
func Words(a effect.Arg) (out []effect.Arg) {
	for _, word := range strings.Fields(a.Text) {
		out = append(out, a.Tail(word))
	}
	return out
}

// Closing finds the end of a delimited text that begins at s[at]; brackets nest.
func Closing(s string, at int) (body string, end int) {
	open, shut := s[at], s[at]
	if i := strings.IndexByte("([{<", open); i >= 0 {
		shut = ")]}>"[i]
	}
	depth := 1
	for i := at + 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == shut:
			if depth--; depth == 0 {
				return s[at+1 : i], i + 1
			}
		case s[i] == open:
			depth++
		}
	}
	return s[min(at+1, len(s)):], len(s)
}

// Bracketed are the texts in brackets after a mark, which ends in the opening one.
func Bracketed(w *shell.Walker, text, mark string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w.Spend(1) {
			i := strings.Index(text, mark)
			if i < 0 {
				return
			}
			body, end := Closing(text, i+len(mark)-1)
			if text = text[end:]; !yield(body) {
				return
			}
		}
	}
}

// HandsOver reports an interactive shell among the effects since seen.
func HandsOver(w *shell.Walker, construct string, at effect.Arg, seen int) bool {
	for _, e := range w.Effects[min(seen, len(w.Effects)):] {
		_, shell := shell.Dialects()[e.Name]
		shell = shell || effect.Among(strings.TrimSuffix(strings.ToLower(e.Name), ".exe"), "cmd powershell pwsh")
		if e.Kind != effect.Exec || !shell {
			continue
		}
		if !scripted(e.Args) {
			w.EmitAt(at, effect.Effect{Kind: effect.Shell, Name: construct, Text: construct + " → " + e.Name})
			return true
		}
	}
	return false
}

// scripted reports arguments that give a shell something to run.
func scripted(args []effect.Arg) bool {
	return argv.AnyText(args, func(s string) bool {
		return !strings.HasPrefix(s, "-") || strings.Contains(s, "c") && !strings.HasPrefix(s, "--") ||
			s == "--version" || s == "--help"
	})
}

// Marked looks for what a text in another language says only for one purpose. The
// model has it as phrases, of what the text contains.
func Marked(w *shell.Walker, name, text string) {
	m := program.Of(name)
	if m == nil || len(text) > effect.MaxBytes || !w.Spend(1+len(text)/128) {
		return
	}
	for _, meaning := range m.Contained(name, text) {
		w.EmitAt(w.Here(""), effect.Effect{Kind: effect.Marked, Name: meaning, Text: name})
	}
}

// ProgramFile is what is known of a program that awk, sed and their kin read with
// -f: from their input, a substitution, or a file that this command wrote.
func ProgramFile(w *shell.Walker, st *shell.State, name string, file effect.Arg, in effect.Stream) (out []effect.Arg) {
	all := w.Contents(st, file.Text)
	if len(all) == 0 && shell.Standard(file.Text) && in.Open && !in.File {
		all = append(all, in)
	}
	for _, s := range all {
		switch {
		case effect.Foreign(s.From) && strings.Contains(s.Text, effect.Unknown):
			w.EmitAt(file, effect.Effect{Kind: effect.Code, Name: name, Text: name + " -f " + file.Text, From: s.From})
		case !strings.HasPrefix(s.Text, effect.Unknown):
			program := file.Tail(s.Text)
			program.From = s.From
			out = append(out, program)
		}
	}
	return out
}

// blind are programs that do not look at the directory they are in.
var blind = argv.NamesOf(&valuesText, "blind")

// strays judges a program that runs in a directory outside, where the command
// itself went: `cd .. && ls` reads what is there without naming it.
func strays(w *shell.Walker, st *shell.State, name string, a effect.Arg) {
	if blind.Has(name) {
		return
	}
	for _, cwd := range st.Cwds {
		if cwd == effect.Unknown || cwd == path.Clean(w.In.Cwd) || !w.Spend(1) {
			continue
		}
		inside := w.InFolders(cwd) || w.InRoots(cwd)
		w.EmitAt(a, effect.Effect{Kind: effect.Read, Name: name, Text: a.Text, Path: cwd, Inside: inside})
	}
}

// Elsewhere judges a command for another machine, of which only its credentials,
// its end and changes to it count: its files are not ours to know.
func Elsewhere(w *shell.Walker, st *shell.State, construct string, code effect.Arg, in effect.Stream) {
	defer func(outer bool) { w.Away = outer }(w.Away)
	w.Away = true
	if deadly(w, st, construct, code, in) {
		w.EmitAt(code, effect.Effect{
			Kind: effect.Net, Name: construct, Text: construct + " " + firstLine(code.Text),
			Sends: effect.ChangesThere,
		})
	}
}

// deadly judges a command only for what matters wherever it happens. It reports
// whether the command changes the machine it runs on.
func deadly(w *shell.Walker, st *shell.State, construct string, code effect.Arg, in effect.Stream) (changes bool) {
	defer w.Keeping(func(e *effect.Effect) bool {
		if survives(w, e) {
			return true
		}
		changes = changes || changesMachine(e)
		return false
	})()
	w.Code(st.Clone(), construct, code, w.Lang, in)
	return changes
}

// Harm that matters on any machine, and what would be asked about here too.
const (
	fatalAnywhere   = "power/off device/format process/kill-all system/volume"
	changesAnywhere = `system/service system/packages system/root outward/deploy data/destroy container/wipe
		system/kill-by-name git/discard persist/schedule persist/account system/kernel`
)

// survives reports an effect that matters wherever it happens, and makes it
// speak for the other machine.
func survives(w *shell.Walker, e *effect.Effect) bool {
	switch e.Kind {
	case effect.Exec:
		e.Inside = true
		return e.IsAny(fatalAnywhere)
	case effect.Delete:
		e.Inside = false
		return !e.Unknown && w.Vital(e.Path)
	case effect.Write:
		return place.BlockDevice(e.Path)
	case effect.Read:
		e.Inside = true
		return !e.Discreet && place.Secret(e)
	}
	return e.Kind == effect.Problem || e.Kind == effect.Bomb || e.Kind == effect.Data
}

// changesMachine reports what would be asked about here too.
func changesMachine(e *effect.Effect) bool {
	switch e.Kind {
	case effect.Exec, effect.Marked:
		return e.IsAny(changesAnywhere) || program.Means(e, "deploys") || program.Means(e, "migrates")
	case effect.Delete:
		return e.Recursive
	case effect.Net:
		return e.Sends == effect.ChangesThere
	case effect.Code:
		return effect.Foreign(e.From)
	}
	return false
}

// Line is a command as text: its words, which no shell reads again, or the one that is text.
func Line(command []effect.Arg) effect.Arg {
	if len(command) == 1 {
		return command[0]
	}
	return effect.Renamed(command[0], argv.QuotedWords(effect.Texts(command)))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Send writes down that a program sends something to a host.
func Send(w *shell.Walker, a effect.Arg, program, host, sends string, from []string) {
	w.EmitAt(a, effect.Effect{
		Kind: effect.Net, Name: program, Text: host, Sends: sends, From: from,
		Inside:  place.LocalHost(host) || slices.Contains(place.WebClients, program) && place.Service(host),
		Unknown: strings.Contains(host, effect.Unknown),
	})
}
