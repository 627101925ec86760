package profile

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// layeredWhen are four layers: programs that are never run, rm by its flags and
// targets, code inside of code, and shapes of text.
var layeredWhen = map[string]rule.When{
	"layered/program": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && blockedName(e) != ""
	},
	"layered/rm-unpreserved": func(_ *rule.Context, e *effect.Effect) bool {
		f := rmFlags(e.Args)
		root := func(s string) bool { return strings.HasPrefix(s, "/") && path.Clean(s) == "/" } // has a row of its own
		return e.Runs("rm") && f.recursive && f.unpreserved && !argv.AnyText(e.Args, root)
	},
	"layered/rm-root": func(_ *rule.Context, e *effect.Effect) bool { return deletesTree(e) && namesDir(e, "/") },
	"layered/rm-critical": func(_ *rule.Context, e *effect.Effect) bool {
		return deletesTree(e) && namesDir(e, criticalDirs...)
	},
	"layered/interpreter": func(c *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && lang.LanguageOf(e.Name) != nil &&
			slices.ContainsFunc(inlineTexts(e.Args), func(code string) bool { return dangerous(c, code) })
	},
	"layered/dd": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Runs("dd") && argv.AnyText(e.Args, func(s string) bool {
			of, ok := strings.CutPrefix(s, "of=")
			return ok && place.BlockDevice(path.Clean(of))
		})
	},
	"layered/device": devices,
	"layered/remote-code": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Code && effect.Fetched(e.From)
	},
	"layered/exfiltration": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && sendsSecret(e) != ""
	},
	"layered/credentials": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Read && secret(e.Text, e.Path) != ""
	},
}

// layeredSay are the reasons that depend on the effect; the others are messages of the rows.
var layeredSay = map[string]func(*effect.Effect) string{
	"layered/program": blockedName,
	"layered/remote-code": func(e *effect.Effect) string {
		if e.Name == "shell" {
			return "pipe to shell"
		}
		return "pipe to interpreter"
	},
	"layered/exfiltration": sendsSecret,
	"layered/credentials":  func(e *effect.Effect) string { return secret(e.Text, e.Path) },
}

// Layered are the rows of the profile. The effects say what an inner shell or eval does.
func Layered() []rule.Rule {
	rows := read("layered", layeredWhen)
	for i := range rows {
		say, message := layeredSay[rows[i].ID], rows[i].Message
		rows[i].Say = func(e *effect.Effect) string {
			inner := innerCode(e.Via)
			if inner == "" && say == nil {
				return message
			}
			if inner == "" {
				inner = say(e)
			}
			return "Error: " + inner
		}
	}
	return rows
}

// innerCode says through which kind of inner code an effect was reached.
func innerCode(via []effect.Link) string {
	for _, l := range via {
		switch {
		case l.Construct == "eval":
			return "eval escape"
		case strings.HasSuffix(l.Construct, " -c"):
			return "interpreter escape"
		}
	}
	return ""
}

// blockedName is how this profile calls a program that it never runs.
func blockedName(e *effect.Effect) string {
	switch name, _, _ := strings.Cut(e.Name, "."); name {
	case "mkfs", "shutdown", "reboot", "halt", "poweroff":
		return name
	case "systemctl", "init", "telinit":
		for _, a := range e.Args {
			verbs := []string{"poweroff", "reboot", "halt"}
			if name != "systemctl" {
				verbs = []string{"0", "6"}
			}
			switch {
			case slices.Contains(verbs, a.Text):
				return name + " " + a.Text
			case !strings.HasPrefix(a.Text, "-"):
				return ""
			}
		}
	}
	return ""
}

var criticalDirs = []string{"/home", "/etc", "/var", "/usr", "/bin", "/lib", "/boot", "/root"}

func deletesTree(e *effect.Effect) bool {
	return e.Kind == effect.Delete && e.Recursive && !e.Unknown
}

// namesDir reports a path that is or, as a glob, could be one of dirs, or all of its
// contents at once; as it was written, too, for on many systems /bin is a link to
// /usr/bin.
func namesDir(e *effect.Effect, dirs ...string) bool {
	for _, p := range []string{e.Path, path.Clean(e.Text)} {
		if p == "/*" {
			p = "/"
		}
		if p = strings.TrimSuffix(p, "/*"); slices.ContainsFunc(dirs, func(dir string) bool { return couldBe(p, dir) }) {
			return true
		}
	}
	return false
}

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

// inlineTexts are the code arguments, also when they are joined to the option or when the
// option is in a cluster: -ne CODE, -cCODE, --eval=CODE.
func inlineTexts(args []effect.Arg) []string {
	var out []string
	for i, a := range args {
		name, value, joined := strings.Cut(a.Text, "=")
		switch {
		case slices.Contains(codeFlags, a.Text) || codeCluster(a.Text):
			if i+1 < len(args) {
				out = append(out, args[i+1].Text)
			}
		case joined && slices.Contains(codeFlags, name):
			out = append(out, value)
		case len(a.Text) > 2 && a.Text[0] == '-' && slices.Contains(codeFlags, a.Text[:2]):
			out = append(out, a.Text[2:])
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
var quoted = argv.Pattern(`(?:\bq[qwx]?|%[qQwWx])\s*[({\[]([^)}\]]*)[)}\]]|` +
	"'((?:[^'\\\\]|\\\\.)*)'|\"((?:[^\"\\\\]|\\\\.)*)\"|`((?:[^`\\\\]|\\\\.)*)`")

// executes are the calls that hand a string to the system, deletesFiles those that
// remove a tree, and opensFile those that read a file. Without one of them a string is only text: printing "rm -rf /"
// deletes nothing.
var (
	executes     = argv.Pattern("system|popen|Popen|subprocess|spawn|exec|eval|shell|%x|qx|`|child_process|Open3")
	opensFile    = argv.Pattern(`open|[rR]ead|Path\(|slurp|File|load|copy|cat`)
	deletesFiles = argv.Pattern(`rmtree|remove_tree|rm_rf|rm_r\b|rmSync|removeSync|rimraf|remove_entry`)
)

var unslashed = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`, "\\`", "`", `\n`, "\n")

func dangerous(c *rule.Context, code string) bool {
	if c.Depth >= maxEscapes || len(code) > maxInline {
		return true
	}
	texts := []string{code}
	var list []string
	opens, deletes := opensFile().MatchString(code), deletesFiles().MatchString(code)
	for _, m := range quoted().FindAllStringSubmatch(code, 64) {
		text := unslashed.Replace(m[1] + m[2] + m[3] + m[4])
		list = append(list, text)
		if opens && secret(text) != "" {
			return true
		}
		if p := strings.TrimRight(text, "/*"); deletes && strings.HasPrefix(text, "/") &&
			(p == "" || slices.Contains(criticalDirs, p)) {
			return true
		}
	}
	if executes().MatchString(code) {
		texts = append(texts, list...)
		texts = append(texts, strings.Join(list, " ")) // ['rm', '-rf', '/']
	}
	return slices.ContainsFunc(texts, c.Denied)
}
