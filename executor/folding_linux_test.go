package executor

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard"
)

// folded is a text with the argvs that the guard claims for it in one dialect.
type folded struct {
	text  string
	shell []string
	want  []claim
	vague bool // some are only one way of several
}

// FuzzFoldAgreement: where the guard claims to know an argv, the shells make
// just that one; where it knows a part, that part.
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
				trials = append(trials, trial{Shell: c.shell, Text: c.text, Path: l.stubs, Limit: trialLimit})
			}
		}
		done, err := l.drive(trials)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range done {
			if err := claims[i].compare(o); err != nil && !o.TimedOut {
				t.Errorf("%v %q: %v (%q)", claims[i].shell, claims[i].text, err, o.Stderr)
			}
		}
	})
}

func (c folded) compare(o outcome) error {
	// dash ends with 2 at an error, also where 2>f hides what it says.
	if c.agrees(c.want, o.Ran, o.Stderr != "" || o.Exit == "exit status 2") {
		return nil
	}
	var want [][]string
	for _, w := range c.want {
		want = append(want, w.argv)
	}
	return fmt.Errorf("the guard says %q, ran %q", want, o.Ran)
}

// agrees compares in order. A shell may stop at an error; and what may fold in
// several ways is listed for each of them.
func (c folded) agrees(want []claim, ran [][]string, stopped bool) bool {
	if len(ran) == 0 && stopped {
		return true
	}
	if len(want) == 0 {
		return len(ran) == 0
	}
	if len(ran) > 0 && want[0].allows(ran[0]) && c.agrees(want[1:], ran[1:], stopped) {
		return true
	}
	return c.vague && c.agrees(want[1:], ran, stopped)
}

// folded asks the guard, as bash and as POSIX; only texts of commands one after
// another are a claim.
func (l *lab) folded(text string) (claims []folded, ok bool) {
	if endless(text) || strings.ContainsAny(unjoined.Replace(text), "&|<>()`") {
		return nil, false
	}
	for dialect, shell := range map[string]string{"bash": "bash", "posix": "dash"} {
		v, lists := l.check(text, dialect)
		if v.Decision != guard.Allow || !v.Parse.Complete {
			continue
		}
		if calculates.MatchString(text) || userHome.MatchString(text) {
			continue // nothing exact is claimed there: one number stands for all
		}
		if want, ok := claimed(lists[len(lists)-1], strings.Contains(text, "for x")); ok {
			// What is no POSIX text is listed twice: as dash may run it, and as it may stop.
			_, twice := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
			// So is a variable that the text doesn't set, as it is without, and as an environment may have it.
			vague := dialect == "posix" && twice != nil || strings.Contains(text, "-") || strings.Contains(text, ":+") ||
				slices.ContainsFunc(want, func(c claim) bool { return c.loose != nil })
			claims = append(claims, folded{text: text, shell: []string{shell}, want: want, vague: vague})
		}
	}
	return claims, len(claims) > 0
}

// userHome: the guard takes every user to have a home; shells leave ~x alone where
// there is no x.
var userHome = regexp.MustCompile(`[\s=:{,]~[\w{]`)

// unjoined takes out what generated commands may have of operators.
var unjoined = func() *strings.Replacer {
	list := slices.Concat(functions, operated, substituted)
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, text := range list {
		pairs = append(pairs, text, "")
	}
	return strings.NewReplacer(pairs...)
}()

var folders = []string{"unset", "set", "shift", "export", "true", "false", "eval", ":", "read", "mapfile", "echo", "printf", "wait", "readonly", "declare", "command"}

// claimed is the argvs of the stubs; false where a program is not known or is a
// builtin that could change what comes after, or how often a loop goes round.
func claimed(list []guard.Exec, loops bool) (want []claim, ok bool) {
	all, ok := claimsOf(list)
	if !ok {
		return nil, false
	}
	for i, c := range all {
		switch {
		case loops && !list[i].Known:
			return nil, false
		case slices.Contains(stubs, c.argv[0]):
			want = append(want, c)
		case !slices.Contains(folders, c.argv[0]):
			return nil, false
		case !list[i].Known && c.argv[0] == "eval":
			return nil, false
		}
	}
	return want, true
}
