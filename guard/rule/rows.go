package rule

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// When reports that a row is about an effect, besides those whose program does what the
// row is called.
type When func(c *Context, e *effect.Effect) bool

// Rows reads a text of rows:
//
//	rule fs/mirror                    the id
//	  title    Make the workspace …   a name, in a few words
//	  decision ask 2                  of a command that matches; severity 1 (worst) to 4
//	  about    code library           an effect that it is about: its kind, and names of those
//	  sends    away a file|a tunnel   what goes out: away from this machine, or anywhere
//	  loss     workspace              all that is at stake; without it, more
//	  sealed   yes                    the sandbox refuses it, whatever anybody answers
//	  verbatim yes                    the message is passed on unchanged
//	  why      Everything that …      the harm, for a person who has to decide
//	  message  {what} deletes …       what the command does; {what}, {name} are the effect's
//	  safer    leave --delete out …   what to do instead
//	  finds    rsync -a --delete …    a command that the row must find
//	  fine     rsync -a …             one that only looks alike
//
// Examples are left to ReadExamples: no command is judged by them.
func Rows(text string, when map[string]When) (rows []Rule) {
	each(text, func(id, key, value string) {
		if key == "rule" {
			rows = append(rows, Rule{ID: id, When: when[id]})
			return
		}
		r := &rows[len(rows)-1]
		switch key {
		case "title":
			r.Title = value
		case "decision":
			decision, severity, _ := strings.Cut(value, " ")
			r.Decision = Decision(decision)
			r.Severity, _ = strconv.Atoi(severity) // a test reads them all
		case "about":
			kind, names, some := strings.Cut(value, " ")
			r.When = about(kinds[kind], some, strings.Split(names, "|"))
		case "sends":
			where, what, _ := strings.Cut(value, " ")
			r.When = sends(where == "anywhere", strings.Split(what, "|"))
		case "loss":
			r.Loss = Loss(value)
		case "sealed":
			r.Sealed = true
		case "verbatim":
			r.Verbatim = true
		case "why":
			r.Why = value
		case "message":
			r.Message = value
		case "safer":
			r.Safer = value
		}
	})
	return rows
}

// Examples are commands that a rule must find, and some that only look alike.
type Examples struct{ Match, NotMatch []string }

// ReadExamples reads those of the texts in a folder. In a command "⏎" is a line break;
// after "finds=" and "fine=" comes a string as Go writes it, for what no line can hold.
func ReadExamples(texts fs.FS) map[string]Examples {
	all := map[string]Examples{}
	files, _ := fs.Glob(texts, "rows/*.txt") // the pattern is not malformed
	for _, file := range files {
		text, _ := fs.ReadFile(texts, file) // it is there
		each(string(text), func(id, key, command string) {
			command = strings.ReplaceAll(command, "⏎", "\n")
			if k, quoted := strings.CutSuffix(key, "="); quoted {
				key = k
				command, _ = strconv.Unquote(command) // a test reads them all
			}
			e := all[id]
			switch key {
			case "finds":
				e.Match = append(e.Match, command)
			case "fine":
				e.NotMatch = append(e.NotMatch, command)
			default:
				return
			}
			all[id] = e
		})
	}
	return all
}

// each calls f for every line that says something.
func each(text string, f func(id, key, value string)) {
	id := ""
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimLeft(value, " ")
		if key == "rule" {
			id = value
		}
		if key != "" {
			f(id, key, value)
		}
	}
}

// WithExamples is the rows, as copies, with their examples: those that more has for
// them, or this package.
func WithExamples(rows []Rule, more map[string]Examples) []Rule {
	out := slices.Clone(rows)
	for i := range out {
		r := &out[i]
		e, ok := more[r.ID]
		if !ok {
			e = examples()[r.ID]
		}
		r.Match, r.NotMatch = slices.Concat(e.Match, r.Match), slices.Concat(e.NotMatch, r.NotMatch)
	}
	return out
}
