package connect

import (
	"fmt"
	"path/filepath"
	"strings"
)

// lineMark ends every line of ours in files that are not JSON. They are written as text:
// no library keeps the layout of TOML, and there is none for what a shell reads.
const lineMark = "# added by pillion connect"

func ourLine(s string) string { return s + " " + lineMark + "\n" }

func withoutLines(_ Agent, _ Env, before string) (string, error) {
	rest, _ := split(before)
	return rest, nil
}

// split is a text without our lines, and these.
func split(text string) (rest, ours string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, lineMark) {
			ours += line
		} else {
			rest += line
		}
	}
	return rest, ours
}

// added is the text with our line at its end, or wherever it is already.
func added(before, line string) string {
	rest, ours := split(before)
	if ours == line {
		return before
	}
	return ended(rest) + line
}

// ended is a text whose last line has an end.
func ended(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		return text + "\n"
	}
	return text
}

// insertScript is a hook that is a file of its own. Only what it prints counts: where pillion
// does not answer, its last line does.
func insertScript(a Agent, e Env, before string) (string, error) {
	if rest, _ := split(before); strings.TrimSpace(rest) != "" {
		return "", fmt.Errorf("it is a hook of yours; give it another name first")
	}
	return added(before, ourLine(quote(e.Self)+" hook "+a.Name+
		` || printf '\nHOOK_CONTROL\t{"cancel":true,"errorMessage":"pillion did not answer, so this was not run"}\n'`)), nil
}

// insertAlias is for an agent that obeys a variable and has no setting for its shell. It is
// the first line: many such files end early ("[ -z "$PS1" ] && return").
func insertAlias(a Agent, e Env, before string) (string, error) {
	name := a.Programs[0]
	if rest, _ := split("\n" + before); strings.Contains(rest, "\nalias "+name+"=") {
		return "", fmt.Errorf("it has an alias %q of yours; remove that first", name)
	}
	rest, _ := split(before)
	return ourLine("alias "+name+"="+quote(a.shell+"="+quote(e.Shell)+" "+name)) + rest, nil
}

// startFile is what the user's shell reads when it starts.
func startFile(e Env) string {
	if filepath.Base(e.Getenv("SHELL")) != "zsh" {
		return filepath.Join(e.Home, ".bashrc")
	}
	dir := e.Getenv("ZDOTDIR")
	if !filepath.IsAbs(dir) {
		dir = e.Home
	}
	return filepath.Join(dir, ".zshrc")
}
