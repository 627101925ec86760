package windows

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

var powerShell = &windowsShell{
	name: "powershell", escape: '`', quotes: `'"`, breaks: ";|&{}()\n", blanks: " \t,",
	variable: powerShellVariable,
}

// powerShellVariable reads $name, $env:NAME and ${any thing}.
func powerShellVariable(s string) (name string, size int) {
	if len(s) < 2 || s[0] != '$' {
		return "", 0
	}
	if s[1] == '{' {
		if end := strings.IndexByte(s, '}'); end > 0 {
			if s[2] == '{' && end+1 < len(s) && s[end+1] == '}' { // ${{ … }} of a CI
				end++
			}
			return s[2:end], end + 1
		}
		return "", 0
	}
	size = 1
	for size < len(s) && (shell.Letter(s[size]) && s[size] != '-' || s[size] == ':' && size+1 < len(s) &&
		shell.Letter(s[size+1]) || s[size] == '?' && size == 1) {
		size++
	}
	if size == 1 {
		return "", 0
	}
	return s[1:size], size
}

// blockParameter is a parameter that only takes a block. Blocks are judged where they stand.
var blockParameter = argv.Pattern(`(?i)[(,]\s*(?:\[parameter\([^)]*\)\]\s*)?\[scriptblock\]\s*\$(\w+)`)

const maxBlocks = 32

// powershell judges a PowerShell text.
func powershell(w *shell.Walker, st *shell.State, text string, in effect.Stream) effect.Stream {
	var out effect.Stream
	run.Marked(w, "powershell-text", text)
	assembled(w, st, text, in)
	pipe, was, kept := in, windowsCommand{}, effect.Stream{}
	vars := map[string]string{}
	for _, m := range blockParameter().FindAllStringSubmatch(text, maxBlocks) {
		vars[strings.ToLower(m[1])] = "invoke-block"
	}
	commands := windowsCommands(w, powerShell, vars, text)
	fetched, made := slices.ContainsFunc(commands, fetches), renames{}
	for i, c := range commands {
		if w.Stopped {
			break
		}
		if was.method {
			method(w, st, was.words[len(was.words)-1], c.words)
		}
		made.apply(&c)
		if !c.piped && (c.called || !member(c.words[0].Text)) {
			pipe = effect.Stream{}
		}
		kept.Open = kept.Open && !c.piped // or the block after a Where-Object has ended
		if fetched && runsText(c) {
			// Brackets between them are not followed: one download is enough.
			pipe.From = effect.Mixed(pipe.From, "curl")
		}
		if fetched && hostsUnknown(c) { // .DownloadFile($url, $p); powershell -File $p
			w.EmitAt(c.words[0], effect.Effect{
				Kind: effect.Code, Name: "powershell", Text: "-File",
				From: []string{"curl"},
			})
		}
		if c.secret != "" && !(i+1 < len(commands) && commands[i+1].piped) && prints(c) {
			w.EmitAt(c.words[0], effect.Effect{Kind: effect.Secret, Name: "variable", Text: c.secret})
		}
		givesVariable(w, c)
		if out = cmdlet(w, st, c, pipe); kept.Open {
			out = kept
		} else if len(c.words) == 1 && orAlias(strings.ToLower(c.words[0].Text)) == "where-object" {
			kept = out
		}
		made.learn(c)
		redirected(w, st, c, out)
		// Blocks and brackets only group: what they print flows on.
		out.From = effect.Mixed(pipe.From, out.From...)
		pipe, was = out, c
		pipe.Open = true
	}
	return out
}

// member reports what follows a bracket: (iwr x.io).Content.
func member(word string) bool { return len(word) > 1 && word[0] == '.' && shell.Letter(word[1]) }

// fetches reports a command that brings text from the network.
func fetches(c windowsCommand) bool {
	return slices.ContainsFunc(c.words, func(a effect.Arg) bool {
		text := strings.ToLower(a.Text)
		return effect.Among(text, `iwr irm curl wget invoke-webrequest invoke-restmethod start-bitstransfer
			net.webclient system.net.webclient curl.exe`) || strings.HasPrefix(text, ".download")
	})
}

// prints reports a command that shows its words: echo, or a value by itself.
func prints(c windowsCommand) bool {
	name := strings.ToLower(c.words[0].Text)
	return slices.Contains([]string{"echo", "write", "write-output", "write-host"}, name) ||
		c.words[0].Text == effect.Unknown && c.target == "" && len(c.words) == 1
}

func runsText(c windowsCommand) bool {
	name := strings.ToLower(c.words[0].Text)
	return name == "iex" || name == "invoke-expression" || name == "add-type" ||
		name == "import-module" || strings.Contains(name, "scriptblock]::create") || c.called
}

// hostsUnknown reports a host of scripts that is given a file which only run time tells.
func hostsUnknown(c windowsCommand) bool {
	name := strings.TrimSuffix(strings.ToLower(argv.Base(c.words[0].Text)), ".exe")
	return effect.Among(name, "powershell pwsh cmd wscript cscript mshta") &&
		argv.AnyText(c.words[1:], func(s string) bool { return s == effect.Unknown })
}

// powerShellVerbs begin the names of cmdlets; apt-get and docker-compose are
// programs.
var powerShellVerbs = argv.NamesOf(&namesText, "verbs")

// cmdlet judges one command.
func cmdlet(w *shell.Walker, st *shell.State, c windowsCommand, in effect.Stream) effect.Stream {
	words, quoted := windowsRedirects(w, st, c)
	for len(words) > 0 && effect.Among(strings.ToLower(words[0].Text), `if else elseif foreach while do try catch finally
		return in process begin end . -not ! param function switch`) {
		c.called = c.called || words[0].Text == "."
		words, quoted = words[1:], quoted[1:]
	}
	if len(words) == 0 {
		return in
	}
	name := strings.ToLower(argv.Base(words[0].Text))
	if c.looked && !(quoted[0] && len(words) == 1) && !strings.Contains(name, "scriptblock]::create") {
		if found, ok := lookedUp(name, words[1:]); ok {
			return ran(w, st, found, in)
		}
		unknownCommand(w, words[0])
		c.called = false
	}
	if c.opens && invokes(name) {
		unknownCommand(w, words[0])
	}
	if strings.Contains(name, "]::") {
		return static(w, words[0], name, in)
	}
	if strings.HasPrefix(name, ".download") {
		return effect.Passed(in, "curl")
	}
	unknown := strings.Contains(words[0].Text, effect.Unknown)
	if c.called && (unknown || name[0] == '-') { // & (-join $x)
		unknownCommand(w, words[0])
	}
	if unknown {
		return effect.Passed(in, "variable")
	}
	if quoted[0] && !c.called && len(words) == 1 && !c.piped {
		return effect.Printed(words[0].Text) // "x" | Remove-Item
	}
	if quoted[0] && !c.called || strings.Trim(name, "-+*/%0123456789.,!=$") == "" || name[0] == '-' || name[0] == '[' ||
		name[0] == '.' && !strings.Contains(words[0].Text, `\`) && !strings.Contains(words[0].Text, "/") {
		return in // a value, or an operator and its side
	}
	name = orAlias(name)
	if verb, _, ok := strings.Cut(name, "-"); ok && powerShellVerbs.Has(verb) &&
		!strings.ContainsAny(words[0].Text, `/\.`) {
		if c.opens && takesValue(name, len(words)) {
			words = append(slices.Clip(words), words[0].Instead(effect.Unknown, nil))
		}
		return runCmdlet(w, st, name, words, in)
	}
	if slices.Contains([]string{"icacls", "takeown", "attrib", "robocopy", "xcopy", "findstr", "mklink"}, name) {
		return cmdCommand(w, st, words, in)
	}
	return ran(w, st, words, in)
}

// takesValue reports a cmdlet for which the value of a bracket matters: rm -r (…), or
// saps (…), where it is the program.
func takesValue(name string, words int) bool {
	return name == "start-process" && words == 1 || name == "remove-item" || name == "set-alias" || name == "new-alias"
}

// ran is a program of the disk, if there is one.
func ran(w *shell.Walker, st *shell.State, words []effect.Arg, in effect.Stream) effect.Stream {
	if len(words) == 0 {
		return effect.Somewhere
	}
	return w.Run(st, slashed(words), in)
}

// unknownCommand is a command whose name only run time tells.
func unknownCommand(w *shell.Walker, a effect.Arg) {
	w.EmitAt(a, effect.Effect{Kind: effect.Exec, Name: effect.Unknown, Text: a.Text, Unknown: true, Inside: true})
}

// invokes reports the methods that run the value before them, or a text.
func invokes(name string) bool {
	_, method, _ := strings.Cut(name[max(0, strings.LastIndexByte(name, '.')):], ".")
	return slices.Contains([]string{"invoke", "invokescript", "addscript", "addcommand", "newscriptblock"}, method)
}

// lookedUp is what & (…) runs where the bracket names one file or program, as
// & (Get-Command npm) does. A path of which parts are unknown is a file all the same.
func lookedUp(name string, words []effect.Arg) (command []effect.Arg, ok bool) {
	name = orAlias(name)
	named, operands := parameters(words)
	operands = append(operands, valuesOf(named, "path childpath name literalpath")...)
	path := strings.Join(effect.Texts(operands), "/")
	certain := path != "" && !strings.ContainsAny(path, "*?["+effect.Unknown)
	switch name {
	case "join-path", "resolve-path", "convert-path":
		if !certain {
			return nil, true
		}
	case "get-command", "get-item", "which":
		if !certain {
			return nil, false
		}
	case "uv":
		if path != "python/find" {
			return nil, false
		}
		path = "python"
	default:
		return nil, false
	}
	return []effect.Arg{operands[0].Instead(path, nil)}, true
}

// windowsRedirects takes redirections off and judges where they write.
func windowsRedirects(w *shell.Walker, st *shell.State, c windowsCommand) (words []effect.Arg, quoted []bool) {
	for i := 0; i < len(c.words); i++ {
		if sign := c.words[i].Text; !c.quoted[i] && (sign == ">" || sign == "<") {
			if i++; i < len(c.words) {
				run.WindowsPaths(w, st, effect.Effect{Kind: map[string]effect.Kind{">": effect.Write, "<": effect.Read}[sign]},
					c.words[i])
			}
			continue
		}
		words, quoted = append(words, c.words[i]), append(quoted, c.quoted[i])
	}
	return words, quoted
}

// nestedWindows judges text that a Windows shell runs for another command.
func nestedWindows(w *shell.Walker, st *shell.State, construct string, a effect.Arg, in effect.Stream,
	dialect string,
) effect.Stream {
	defer w.Enter(construct, a.Text, a.Span)()
	a.Exact = false // there is no map of what they read
	defer w.Inside(a)()
	w.Spend(len(a.Text) / 32)
	if dialect == "cmd" {
		return cmdline(w, st.Clone(), a.Text, in)
	}
	return powershell(w, st.Clone(), a.Text, in)
}
