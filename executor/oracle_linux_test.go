package executor

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard"
)

// atRuntime in a listed argv is text that only the run shows.
const atRuntime = "\x01"

// claim is one argv that the guard lists, and what may come of it: text of the
// run may be any words, and a pattern the names of any files.
type claim struct {
	argv  []string
	loose *regexp.Regexp // nil where argv is exact
}

var descriptor = regexp.MustCompile(`/dev/fd/\d+`)

// blanks around such text go when it is empty.
var blanks = regexp.MustCompile(` ?\x01 ?`)

// claimOf reads a listed program.
func claimOf(e guard.Exec) claim {
	c := claim{argv: e.Argv}
	text := strings.Join(e.Argv[1:], " ")
	if !strings.ContainsAny(text, atRuntime+"*?[") && !descriptor.MatchString(text) {
		return c
	}
	var b strings.Builder
	b.WriteString("(?s)^" + regexp.QuoteMeta(e.Argv[0]))
	for i, arg := range e.Argv[1:] {
		if arg == atRuntime { // no word, or many
			b.WriteString("(?:" + stubSeparator + ".*)?")
			continue
		}
		if arg = blanks.ReplaceAllLiteralString(arg, atRuntime); arg != "" && strings.Trim(arg, atRuntime) == "" {
			b.WriteString(".*") // b$(echo a $x)$y: nothing need separate it from what comes before
			continue
		}
		b.WriteString(stubSeparator)
		if strings.HasPrefix(arg, atRuntime) || strings.HasSuffix(e.Argv[i], atRuntime) {
			b.WriteByte('?') // a$(echo $y b): two words, or "ab" when there is no $y
		}
		arg = descriptor.ReplaceAllLiteralString(arg, "/dev/fd/"+atRuntime)
		for _, r := range arg {
			if strings.ContainsRune(atRuntime+"*?[]", r) {
				b.WriteString(".*")
			} else {
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
	}
	c.loose = regexp.MustCompile(b.String() + "$")
	return c
}

// claimsOf reads a list; false where a program itself is not known.
func claimsOf(list []guard.Exec) (claims []claim, ok bool) {
	for _, e := range list {
		if strings.Contains(e.Argv[0], atRuntime) {
			return nil, false
		}
		claims = append(claims, claimOf(e))
	}
	return claims, true
}

func (c claim) allows(argv []string) bool {
	if c.loose == nil {
		return slices.Equal(c.argv, argv)
	}
	return c.loose.MatchString(strings.Join(argv, stubSeparator))
}

var number = regexp.MustCompile(`\d+`)

// anyNumber takes the digits of a claim for any, and none: the guard has one
// number stand for all in variables that are calculated.
func (c claim) anyNumber() claim {
	c.argv = slices.Clone(c.argv)
	for i := range c.argv[1:] {
		c.argv[i+1] = number.ReplaceAllString(c.argv[i+1], atRuntime)
	}
	return claimOf(guard.Exec{Argv: c.argv})
}

// take finds the claim for an argv that ran. An exact one is taken off the list,
// for what is listed once may not run twice; keep lets loops do that.
func take(left []claim, argv []string, keep bool) ([]claim, bool) {
	i := slices.IndexFunc(left, func(c claim) bool { return c.loose == nil && c.allows(argv) })
	if i < 0 {
		return left, slices.ContainsFunc(left, func(c claim) bool { return c.allows(argv) })
	}
	if keep {
		return left, true
	}
	return slices.Delete(left, i, i+1), true
}
