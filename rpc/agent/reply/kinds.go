package reply

import (
	"regexp"
	"strings"
	"sync"
)

// A line is routine if many like it say together that all is well: progress, and
// tests that pass. It is folded, never a line that looks like a failure.
//
// prefix is what tools put in front of each line: a level, a step, a time.
var patterns = sync.OnceValue(func() (p struct{ prefix, passed, progress, counter, failing, none *regexp.Regexp }) {
	p.prefix = regexp.MustCompile(`^(\s*(\[INFO\]|#\d+( \d+\.\d+)?|\[?\d{2}:\d{2}:\d{2}[^ ]*|\d+\.\d+)\s)*\s*`)
	p.passed = regexp.MustCompile(`^(--- PASS|--- SKIP|PASS\b|ok\s|✓|✔|√|=== (RUN|CONT|PAUSE|NAME)|test .* \.\.\. (ok|ignored)$|Start +\d+:|> Task .*(UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED)$|> Task :\S+$|CACHED\b|Running .*Test\S*$|Tests run: .*Failures: 0, Errors: 0)|\b(PASSED|XFAIL|SKIPPED)\s*(\[ *\d+%\])?$|\.{3,} +Passed +[\d.]+ sec$|\[(emitted|built|cached)\]|\[built\]`)
	p.progress = regexp.MustCompile(`^(\+ )?([A-Z][a-z]+(ing|ed)\b|(Get|Hit|Ign|Fetch):\d|Setting up |Unpacking |Selecting |extracting\b|transferring\b|sha256:[0-9a-f]|npm (http|timing|sill|verb) |asset |(\.{1,2}/)?(node_modules|src)/\S+ [\d.]+ (Ki|Mi)?[Bb]|runtime modules|cacheable modules|modules by path|modules by layer|Download(ing|ed) from|-{3,}.*-{3,}$|DONE \d|naming to|exporting|writing image)`)
	p.counter = regexp.MustCompile(`^[\[(]? *(\d+%|\d+ ?/ ?\d+|\d+ of \d+)[\])]?|\b\d{1,3}%( |$|\|)`)
	p.failing = regexp.MustCompile(`(?i)\b(err!?|errors?|error\[\w+\]|fail(ed|s|ing|ures?)?|fatal|panic(ked)?|exception|traceback|unresolved|undefined|cannot|can't|couldn't|could not|unable|not found|no such|denied|refused|invalid|mismatch(ed)?|assert\w*|abort\w*|segmentation fault|killed|timed? ?out|caused by|conflict|vulnerabilit(y|ies)|exit(ed)? (code|status))\b|\w+(Error|Exception|Failure)\b|^E\s{2,}|[✗✕✘×●]|^\s*\^+|^\s*-->|^\s*\|`)
	p.none = regexp.MustCompile(`(?i)\b(0|no) (errors?|fail(ed|ures?)|vulnerabilities|conflicts|problems)\b|\b(errors?|fail(ed|ures?)|skipped): *0\b`)
	return p
})

// failing reports a line that a reader of a failure needs.
func failing(line string) bool {
	p := patterns()
	if p.passed.MatchString(p.prefix.ReplaceAllString(line, "")) {
		return false
	}
	return p.failing.MatchString(p.none.ReplaceAllString(line, ""))
}

// routine is the shape of a line that may be folded, "" if it may not.
func routine(line string) string {
	p := patterns()
	rest := p.prefix.ReplaceAllString(line, "")
	word, _, _ := strings.Cut(rest, " ")
	switch {
	case rest == "":
		return ""
	case p.passed.MatchString(rest):
		return "passed " + shape(word)
	case failing(line):
		return ""
	case p.progress.MatchString(rest):
		return "progress " + shape(word)
	case p.counter.MatchString(rest):
		return "counter"
	}
	return ""
}

// shape is a first word as a kind: names and numbers make no difference.
func shape(word string) string {
	if strings.ContainsAny(word, "/._:") || strings.ContainsAny(word, "0123456789") {
		return "*"
	}
	return word
}
