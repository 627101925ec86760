package profile

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/rule"
)

// InspectDirs are where a program of this profile may come from when it is named
// by its path: a file called git in the workspace is not git.
var InspectDirs = []string{
	"/bin", "/usr/bin", "/usr/local/bin", "/usr/local/go/bin", "/opt/homebrew/bin",
	"/nix/store", "/run/current-system/sw/bin", "~/go/bin", "~/.cargo/bin", "~/.local/bin",
}

// inspectPrograms is the whole table of the profile.
var inspectPrograms = argv.NamesOf(&inspectText, "programs")

// inspectWhen let programs look and nothing else. Operators are refused in the text,
// quoted or not, before anything is parsed: that is what the profile promises. What the
// text can't tell is judged by what the command would do.
var inspectWhen = map[string]rule.When{
	"inspect/operator": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Text && e.Name == "command" && operator(e.Text) != ""
	},
	"inspect/shell": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Command && e.Name != effect.WrittenCommand
	},
	"inspect/program": func(c *rule.Context, e *effect.Effect) bool { return e.Kind == effect.Exec && !inspects(c, e) },
	"inspect/git": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Exec && e.Name == "git" && !gitReads(e.Args)
	},
	"inspect/option":    func(_ *rule.Context, e *effect.Effect) bool { return e.Kind == effect.Exec && acts(e) },
	"inspect/sensitive": sensitive,
	"inspect/write":     func(_ *rule.Context, e *effect.Effect) bool { return rule.Writes(e) && !place.Device(e.Path) },
	"inspect/environment": func(_ *rule.Context, e *effect.Effect) bool {
		return e.Kind == effect.Env && redirects(e.Name, e.Text)
	},
}

// Inspect are the rows of the profile.
func Inspect() []rule.Rule {
	rows := read("inspect", inspectWhen)
	rows[0].Say = func(e *effect.Effect) string { return operator(e.Text) }
	return rows
}

// operators are what the profile rejects before parsing. A line break ends a
// command like a semicolon; eval and its kin count as words of their own.
var operators = argv.Pattern("[;&|`>\n]|\\$\\(|\\$\\{|<\\(|(?:^|\\s)(?:eval|exec|source)(?:\\s|$)")

// operator says what the text holds, "" for nothing of the kind.
func operator(text string) string {
	switch op := strings.TrimSpace(operators().FindString(strings.Trim(text, " \t\n"))); op {
	case "":
		if strings.Contains(strings.Trim(text, " \t\n"), "\n") {
			return "Shell operator (line break)"
		}
		return ""
	case "`", "$(", "<(":
		return "Command substitution"
	case "${":
		return "Variable expansion"
	case ">":
		return "Output redirection"
	case "eval", "exec", "source":
		return "Dynamic execution (" + op + ")"
	default:
		return "Shell operator (" + op + ")"
	}
}

// inspects reports a program of the table, from where the system keeps it.
func inspects(c *rule.Context, e *effect.Effect) bool {
	if e.Unknown || !inspectPrograms.Has(e.Name) || strings.Contains(e.Name, effect.Unknown) {
		return false
	}
	if e.Path != "" && !c.Trusted(e.Text, e.Path) {
		return false
	}
	return startsAllowed(e)
}

// redirects reports variables through which a program is made to run or load
// something. Pagers may be switched off.
func redirects(name, value string) bool {
	if strings.HasSuffix(name, "PAGER") {
		return value != "" && value != "cat" && value != "less"
	}
	if value != "" && !effect.Among(name, "NODE_ENV RUST_BACKTRACE RUST_LOG") && effect.Begins(name,
		`LD_ DYLD_ GIT_ LESS PYTHON PERL RUBY NODE_ npm_ NPM_ PIP_ UV_ MAKE CARGO_ RUST JAVA _JAVA AWK BASH PS4 RIPGREP_CONFIG
		XDG_`) {
		return true
	}
	return effect.Among(name, `PATH HOME IFS ENV SHELL EDITOR VISUAL PROMPT_COMMAND GOFLAGS GOENV CLASSPATH
		JDK_JAVA_OPTIONS TERMINFO LOCPATH`)
}
