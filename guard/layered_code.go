package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxEscapes bounds interpreters inside of interpreters. The tool that this
// profile follows stopped after three levels and allowed what lay below; here
// what lies too deep is refused.
const maxEscapes = 6

// maxInline bounds the code in one argument, in bytes: patterns are tried on it,
// and on every string in it.
const maxInline = 16 << 10

// codeFlags are the options after which an interpreter finds code. Some of them
// mean other things to some of them (perl -c only checks): this profile judges
// their value as code all the same.
var codeFlags = []string{"-c", "-e", "-E", "-p", "-r", "--eval", "--print", "--command", "--execute"}

// escapes reports an interpreter whose code argument is dangerous: as shell
// text, in a string handed to the system, or in what it opens.
func (w *walker) escapes(e *effect) bool {
	if languageOf(e.name) == nil {
		return false
	}
	for _, code := range inlineTexts(e.args) {
		if w.dangerous(code) {
			return true
		}
	}
	return false
}

// inlineTexts are the code arguments, also when they are joined to the option or
// when the option stands in a cluster: -ne CODE, -cCODE, --eval=CODE.
func inlineTexts(args []arg) []string {
	var out []string
	for i, a := range args {
		name, value, joined := strings.Cut(a.text, "=")
		switch {
		case slices.Contains(codeFlags, a.text) || codeCluster(a.text):
			if i+1 < len(args) {
				out = append(out, args[i+1].text)
			}
		case joined && slices.Contains(codeFlags, name):
			out = append(out, value)
		case len(a.text) > 2 && a.text[0] == '-' && slices.Contains(codeFlags, a.text[:2]):
			out = append(out, a.text[2:])
		}
	}
	return out
}

// codeCluster is short options that end in the one for code, as in perl -lne.
func codeCluster(text string) bool {
	if len(text) < 3 || len(text) > 6 || text[0] != '-' || text[1] == '-' {
		return false
	}
	last := text[len(text)-1]
	return (last == 'e' || last == 'c' || last == 'E') && strings.Trim(text[1:], "abcdefghijklmnopqrstuvwxyzE0") == ""
}

// quoted are the string literals of most languages, backslash escapes included, and
// the word lists of Perl and Ruby.
var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\bq[qwx]?|%[qQwWx])\s*[({\[]([^)}\]]*)[)}\]]|` + "'((?:[^'\\\\]|\\\\.)*)'|\"((?:[^\"\\\\]|\\\\.)*)\"|`((?:[^`\\\\]|\\\\.)*)`")
})

// executes are the calls that hand a string to the system, deletesFiles those that
// remove a tree, and opensFile those that read a file. Without one of them a string is only text: printing "rm -rf /"
// deletes nothing.
var (
	executes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("system|popen|Popen|subprocess|spawn|exec|eval|shell|%x|qx|`|child_process|Open3")
	})
	opensFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`open|[rR]ead|Path\(|slurp|File|load|copy|cat`)
	})
	deletesFiles = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`rmtree|remove_tree|rm_rf|rm_r\b|rmSync|removeSync|rimraf|remove_entry`)
	})
)

func (w *walker) dangerous(code string) bool {
	if w.escaped >= maxEscapes || len(code) > maxInline {
		return true
	}
	texts := []string{code}
	var list []string
	opens, deletes := opensFile().MatchString(code), deletesFiles().MatchString(code)
	for _, m := range quoted().FindAllStringSubmatch(code, 64) {
		text := unslashed(m[1] + m[2] + m[3] + m[4])
		list = append(list, text)
		if opens && secret(text) != "" {
			return true
		}
		if p := strings.TrimRight(text, "/*"); deletes && strings.HasPrefix(text, "/") && (p == "" || slices.Contains(criticalDirs, p)) {
			return true
		}
	}
	if executes().MatchString(code) {
		texts = append(texts, list...)
		texts = append(texts, strings.Join(list, " ")) // ['rm', '-rf', '/']
	}
	return slices.ContainsFunc(texts, w.dangerousShell)
}

func unslashed(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`, "\\`", "`", `\n`, "\n").Replace(s)
}

// dangerousShell judges text by the same rules in a walker of its own. What does
// not parse is no shell text, so problems count only where the budget ends; the
// budget is one for all texts of a request.
func (w *walker) dangerousShell(text string) bool {
	if strings.TrimSpace(text) == "" {
		return false
	}
	if w.spent == nil {
		w.spent = new(int)
	}
	p := w.policy
	p.AllowPatterns = nil // they are about the command, which was matched
	c := newWalker(Input{Command: text, Cwd: w.in.Cwd}, p, w.facts, w.home, w.lang)
	c.rows, c.spent, c.steps, c.limit, c.escaped = w.rows, w.spent, *w.spent, w.limit, w.escaped+1
	if !c.spend(1 + len(text)/32) {
		return true
	}
	c.judgeAll()
	*w.spent = c.steps
	return slices.ContainsFunc(c.effects, func(e effect) bool {
		if e.kind == kindProblem {
			return e.name == problemBudget || e.name == problemDepth || e.name == problemSize
		}
		f, ok := c.judge(&e)
		return ok && f.Decision == Deny
	})
}
