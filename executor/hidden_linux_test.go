package executor

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/guard"
)

// batchSize is how many texts go into one sandboxed run; each in every shell.
const batchSize = 40

// check is the verdict on a text in the lab, and the programs it runs, once for
// each way to read it. The directory of the trials need not exist for that.
func (l *lab) check(text, dialect string) (guard.Verdict, [][]guard.Exec) {
	in := guard.Input{Command: text, Cwd: filepath.Join(l.ws, "project"), Dialect: dialect}
	v := guard.Check(in, l.e.conf.Guard, l.f, l.home())
	if v.Decision != guard.Allow {
		return v, nil
	}
	return v, guard.Execs(in, l.e.conf.Guard, l.f, l.home())
}

func (l *lab) home() string { return filepath.Join(l.ws, "home") }

// suspect is a text to run and the programs it may run.
type suspect struct {
	text, run string
	listed    [][]string
	exact     bool
}

// suspect judges a text; ok says that it may run here.
func (l *lab) suspect(text string) (s suspect, ok bool) {
	v, lists := l.check(text, "posix")
	if v.Decision != guard.Allow {
		return s, false
	}
	s.text, s.run = text, text
	if v.RunAs == "canonical" {
		s.run = v.Canonical
	} else if strings.Contains(text, "()") || strings.Contains(text, "function") || longNumber.MatchString(text) {
		return s, false // may call itself for ever; dash has 12>f for the word 12
	}
	for _, list := range lists {
		for _, e := range list {
			if !e.Known {
				return s, false
			}
			s.listed = append(s.listed, e.Argv)
		}
	}
	if v.RunAs == "canonical" {
		s.listed = s.listed[:len(lists[0])]
		s.exact = sequential(s)
	}
	return s, true
}

var longNumber = regexp.MustCompile(`\d\d[<>]`)

var singleQuoted = regexp.MustCompile(`'[^']*'|\\'`)

// sequential reports canonical text in which every command runs, one by one.
func sequential(s suspect) bool {
	if strings.Trim(singleQuoted.ReplaceAllString(s.run, ""), "; \n\\") != "" {
		return false
	}
	return !slices.ContainsFunc(s.listed, func(argv []string) bool {
		return !slices.Contains(stubs, argv[0]) && !slices.Contains([]string{"echo", "printf", "true", "false", ":", "test", "["}, argv[0])
	})
}

var notFound = regexp.MustCompile(`(?m)^(?:dash|bash|sh)(?:: line \d+|: \d+)?: ([^\n]+?): (?:command )?not found$`)

// compare says what ran that was not listed, or did not run although it must.
func (s suspect) compare(o outcome) error {
	left := slices.Clone(s.listed)
	for _, argv := range o.Ran {
		i := slices.IndexFunc(left, func(l []string) bool { return slices.Equal(l, argv) })
		if i < 0 {
			return fmt.Errorf("%q ran and is not listed", argv)
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, m := range notFound.FindAllStringSubmatch(o.Stderr, -1) {
		if !slices.ContainsFunc(s.listed, func(l []string) bool { return l[0] == m[1] }) {
			return fmt.Errorf("%q was looked for and is not listed", m[1])
		}
	}
	if !s.exact || o.TimedOut {
		return nil
	}
	var want [][]string
	for _, l := range s.listed {
		if slices.Contains(stubs, l[0]) {
			want = append(want, l)
		}
	}
	if !slices.EqualFunc(o.Ran, want, slices.Equal) {
		return fmt.Errorf("%q ran, not %q", o.Ran, want)
	}
	return nil
}

// gather fills a batch from the text and what is made from the seed.
func gather[T any](text string, seed uint64, make func(*rand.Rand) string, accept func(string) (T, bool)) (batch []T) {
	r := rand.New(rand.NewPCG(seed, 1))
	seen := map[string]bool{}
	for i := 0; i < 60*batchSize && len(batch) < batchSize; i++ {
		candidate := text
		switch {
		case i == 0:
		case i%4 == 1:
			candidate = mutate(r, text)
		case i%4 == 2:
			candidate = mutate(r, hidden[r.IntN(len(hidden))])
		default:
			candidate = make(r)
		}
		if seen[candidate] {
			continue
		}
		seen[candidate] = true
		if s, ok := accept(candidate); ok {
			batch = append(batch, s)
		}
	}
	return batch
}

func seeds(f *testing.F) {
	for i := range uint64(3) { // each makes a batch, with the hidden ones in it
		f.Add(hidden[i], i)
	}
}

func TestHiddenCommandsAreNeverAllowed(t *testing.T) {
	l := newLab(t)
	for _, text := range classes {
		for _, dialect := range []string{"posix", "bash"} {
			if v, _ := l.check(text, dialect); v.Decision == guard.Allow || v.RunAs != "written" {
				t.Errorf("%s %q: %s, %s", dialect, text, v.Decision, v.RunAs)
			}
		}
	}
}

// FuzzHiddenCommands lets real shells run what the guard allows, and compares
// the programs that ran with those the guard has seen.
func FuzzHiddenCommands(f *testing.F) {
	l := newLab(f, stubs...)
	seeds(f)
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		batch := gather(text, seed, sentence, l.suspect)
		var trials []trial
		for _, s := range batch {
			for _, shell := range shells() {
				trials = append(trials, trial{Shell: shell, Text: s.run, Path: l.stubs, Limit: 2 * time.Second})
			}
		}
		done, err := l.drive(trials)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range done {
			s := batch[i/len(shells())]
			if err := s.compare(o); err != nil {
				t.Errorf("%v %q, run as %q: %v (%q, %s)", trials[i].Shell, s.text, s.run, err, o.Stderr, o.Exit)
			}
		}
	})
}

// FuzzParseAgreement: what is canonical for any /bin/sh is text that every shell
// can read.
func FuzzParseAgreement(f *testing.F) {
	l := newLab(f)
	seeds(f)
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		batch := gather(text, seed, sentence, func(text string) (guard.Verdict, bool) {
			v, _ := l.check(text, "posix")
			return v, v.RunAs == "canonical"
		})
		var trials []trial
		for _, v := range batch {
			for _, shell := range shells() {
				shell = append(shell[:len(shell):len(shell)], "-n")
				trials = append(trials, trial{Shell: shell, Text: v.Canonical, Path: l.stubs, Limit: 2 * time.Second})
			}
		}
		done, err := l.drive(trials)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range done {
			if o.Exit != "exit status 0" || o.Stderr != "" {
				t.Errorf("%v can't read %q: %s, %s", trials[i].Shell, trials[i].Text, o.Exit, o.Stderr)
			}
		}
	})
}

// folded is a text with the argvs that the guard claims for it in one dialect.
type folded struct {
	text  string
	shell []string
	want  [][]string
}

// FuzzFoldAgreement: where the guard claims to know an argv, the shells make
// just that one.
func FuzzFoldAgreement(f *testing.F) {
	l := newLab(f, stubs...)
	f.Add("x=v1; safe \"$x\"'y z'", uint64(1))
	f.Add("safe {a,b}$'q\\nr' ~ \"~\"", uint64(2))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		var trials []trial
		var claims []folded
		for _, both := range gather(text, seed, folding, l.folded) {
			for _, c := range both {
				claims = append(claims, c)
				trials = append(trials, trial{Shell: c.shell, Text: c.text, Path: l.stubs, Limit: 2 * time.Second})
			}
		}
		done, err := l.drive(trials)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range done {
			if c := claims[i]; !slices.EqualFunc(o.Ran, c.want, slices.Equal) {
				t.Errorf("%v %q: the guard says %q, ran %q (%q)", c.shell, c.text, c.want, o.Ran, o.Stderr)
			}
		}
	})
}

// folded asks the guard, as bash and as POSIX; only texts of plain commands one
// after another, all of them known, are a claim.
func (l *lab) folded(text string) (claims []folded, ok bool) {
	if strings.ContainsAny(unjoined.Replace(text), "&|<>()`") || strings.Contains(text, "function") {
		return nil, false
	}
	for dialect, shell := range map[string]string{"bash": "bash", "posix": "dash"} {
		v, lists := l.check(text, dialect)
		if v.Decision != guard.Allow || !v.Parse.Complete {
			continue
		}
		if want, ok := claimed(lists[len(lists)-1]); ok {
			claims = append(claims, folded{text: text, shell: []string{shell}, want: want})
		}
	}
	return claims, len(claims) > 0
}

// unjoined takes out what generated commands may have of operators.
var unjoined = strings.NewReplacer("f() {", "", "l=(a 'b c' d)", "", "l+=(e)", "")

var folders = []string{"unset", "set", "shift", "export", "true", "false", "eval"}

// claimed is the argvs of the stubs; false where one is not known or is a
// builtin that could change what comes after.
func claimed(list []guard.Exec) (argvs [][]string, ok bool) {
	for _, e := range list {
		switch {
		case !e.Known:
			return nil, false
		case slices.Contains(stubs, e.Argv[0]):
			argvs = append(argvs, e.Argv)
		case !slices.Contains(folders, e.Argv[0]):
			return nil, false
		}
	}
	return argvs, true
}
