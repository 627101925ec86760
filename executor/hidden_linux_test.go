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
const batchSize = 24

// trialLimit keeps a batch in which some texts wait for ever below the ten
// seconds that go test gives one input of a fuzz target.
const trialLimit = 500 * time.Millisecond

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
	listed    []claim
	exact     bool // all of it runs, one after another
	loops     bool
}

// suspect judges a text; ok says that it may run here.
func (l *lab) suspect(text string) (s suspect, ok bool) {
	v, lists := l.check(text, "posix")
	if v.Decision != guard.Allow || endless(text) || setBehind.MatchString(text) || calculates.MatchString(text) && operates.MatchString(text) {
		return s, false
	}
	s.text, s.run, s.loops = text, text, repeats.MatchString(text)
	if v.RunAs == "canonical" {
		s.run, lists = v.Canonical, lists[:1]
	} else if longNumber.MatchString(text) {
		return s, false // dash has 12>f for the word 12
	}
	for _, list := range lists {
		claims, ok := claimsOf(list)
		if !ok {
			return s, false
		}
		for _, c := range claims {
			if calculates.MatchString(text) {
				c = c.anyNumber()
			}
			s.listed = append(s.listed, c)
		}
	}
	s.exact = v.RunAs == "canonical" && sequential(s)
	return s, true
}

// setBehind: the guard takes x in `a && x=1` for set if it was not before, because of
// `[ -z "$x" ] && x=1`, and so in `a && export x=1` and `a && { x=1; }`; when a fails,
// the words after it are fewer than listed.
var setBehind = regexp.MustCompile(`&&\s*(\{|[^;|&\n]*=)`)

var calculates = regexp.MustCompile(`\(\(|\blet\b`)

// operates: one number stands for all in what is calculated, and ${x%1} is what is
// left of that one.
var operates = regexp.MustCompile(`\$\{(#|\w+[%#/:^])`)

var longNumber = regexp.MustCompile(`\d\d[<>]`)

var singleQuoted = regexp.MustCompile(`'[^']*'|\\'`)

// sequential reports canonical text in which every command runs, one by one.
func sequential(s suspect) bool {
	if strings.Trim(singleQuoted.ReplaceAllString(s.run, ""), "; \n\\") != "" {
		return false
	}
	return !slices.ContainsFunc(s.listed, func(c claim) bool {
		return c.loose != nil || !slices.Contains(stubs, c.argv[0]) && !slices.Contains([]string{"echo", "printf", "true", "false", ":", "test", "["}, c.argv[0])
	})
}

var notFound = regexp.MustCompile(`(?m)^(?:dash|bash|sh)(?:: exec)?(?:: line \d+|: \d+)?: ([^\n]+?): (?:command )?not found$`)

// compare says what ran that was not listed, or did not run although it must.
func (s suspect) compare(o outcome) error {
	left := slices.Clone(s.listed)
	for _, argv := range o.Ran {
		var ok bool
		if left, ok = take(left, argv, s.loops); !ok {
			return fmt.Errorf("%q ran and is not listed", argv)
		}
	}
	for _, m := range notFound.FindAllStringSubmatch(o.Stderr, -1) {
		if !slices.ContainsFunc(s.listed, func(c claim) bool { return c.argv[0] == m[1] }) {
			return fmt.Errorf("%q was looked for and is not listed", m[1])
		}
	}
	if !s.exact || o.TimedOut {
		return nil
	}
	var want [][]string
	for _, c := range s.listed {
		if slices.Contains(stubs, c.argv[0]) {
			want = append(want, c.argv)
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
			candidate = mutate(r, make(r))
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

// anything makes text of every kind, hidden commands first.
func anything(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return mutate(r, hidden[r.IntN(len(hidden))])
	case 1:
		return sentence(r)
	}
	return program(r)
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
		batch := gather(text, seed, anything, l.suspect)
		var trials []trial
		for _, s := range batch {
			for _, shell := range shells() {
				trials = append(trials, trial{Shell: shell, Text: s.run, Path: l.stubs, Limit: trialLimit})
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
		batch := gather(text, seed, anything, func(text string) (guard.Verdict, bool) {
			v, _ := l.check(text, "posix")
			return v, v.RunAs == "canonical"
		})
		var trials []trial
		for _, v := range batch {
			for _, shell := range shells() {
				shell = append(shell[:len(shell):len(shell)], "-n")
				trials = append(trials, trial{Shell: shell, Text: v.Canonical, Path: l.stubs, Limit: trialLimit})
			}
		}
		done, err := l.drive(trials)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range done {
			if o.TimedOut {
				continue
			}
			if o.Exit != "exit status 0" || o.Stderr != "" {
				t.Errorf("%v can't read %q: %s, %s", trials[i].Shell, trials[i].Text, o.Exit, o.Stderr)
			}
		}
	})
}
