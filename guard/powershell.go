package guard

import (
	"slices"
	"strings"
	"sync"
)

var powerShell = &windowsShell{name: "powershell", escape: '`', quotes: `'"`, breaks: ";|&{}()\n", blanks: " \t,", variable: powerShellVariable}

// powerShellVariable reads $name, $env:NAME and ${any thing}.
func powerShellVariable(s string) (name string, size int) {
	if len(s) < 2 || s[0] != '$' {
		return "", 0
	}
	if s[1] == '{' {
		if end := strings.IndexByte(s, '}'); end > 0 {
			return s[2:end], end + 1
		}
		return "", 0
	}
	size = 1
	for size < len(s) && (letter(s[size]) && s[size] != '-' || s[size] == ':' && size+1 < len(s) && letter(s[size+1]) || s[size] == '?' && size == 1) {
		size++
	}
	if size == 1 {
		return "", 0
	}
	return s[1:size], size
}

// aliases of cmdlets, those of Windows PowerShell included.
var powerShellAliases = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"rm": "remove-item", "ri": "remove-item", "del": "remove-item", "erase": "remove-item", "rd": "remove-item", "rmdir": "remove-item", "cat": "get-content", "gc": "get-content", "type": "get-content", "sls": "select-string",
		"cp": "copy-item", "copy": "copy-item", "cpi": "copy-item", "mv": "move-item", "move": "move-item", "mi": "move-item", "ren": "rename-item", "rni": "rename-item", "ls": "get-childitem", "dir": "get-childitem", "gci": "get-childitem",
		"cd": "set-location", "sl": "set-location", "chdir": "set-location", "pushd": "set-location", "push-location": "set-location", "sc": "set-content", "ac": "add-content", "ni": "new-item", "md": "new-item", "mkdir": "new-item", "tee": "tee-object", "clc": "clear-content",
		"iex": "invoke-expression", "iwr": "invoke-webrequest", "irm": "invoke-restmethod", "saps": "start-process", "start": "start-process", "spps": "stop-process", "kill": "stop-process", "icm": "invoke-command", "sasv": "start-service", "spsv": "stop-service",
		"echo": "write-output", "write": "write-output", "gi": "get-item", "sp": "set-itemproperty", "ii": "invoke-item", "clhy": "clear-history", "gcb": "get-clipboard", "rp": "remove-itemproperty", "mp": "move-itemproperty", "rnp": "rename-itemproperty", "rwmi": "remove-wmiobject", "ipmo": "import-module", "sal": "set-alias", "nal": "new-alias",
	}
})

// powershell judges a PowerShell text.
func (w *walker) powershell(st *state, text string, in stream) stream {
	var out stream
	pipe, was := in, windowsCommand{}
	commands := w.windowsCommands(powerShell, map[string]string{}, text)
	fetched := slices.ContainsFunc(commands, fetches)
	for i, c := range commands {
		if w.stopped {
			break
		}
		if was.method {
			w.method(st, was.words[len(was.words)-1], c.words)
		}
		if !c.piped && !member(c.words[0].text) {
			pipe = stream{}
		}
		if fetched && runsText(c) {
			// Brackets between them are not followed: one download is enough.
			pipe.from = mixed(pipe.from, "curl")
		}
		if c.secret != "" && !(i+1 < len(commands) && commands[i+1].piped) && prints(c) {
			w.emitAt(c.words[0], effect{kind: kindSecret, name: "variable", text: c.secret})
		}
		w.givesVariable(c)
		out = w.cmdlet(st, c, pipe)
		// Blocks and brackets only group: what they print flows on.
		out.from = mixed(pipe.from, out.from...)
		pipe, was = out, c
		pipe.open = true
	}
	return out
}

// member reports what follows a bracket: (iwr x.io).Content.
func member(word string) bool { return len(word) > 1 && word[0] == '.' && letter(word[1]) }

// fetches reports a command that brings text from the network.
func fetches(c windowsCommand) bool {
	return slices.ContainsFunc(c.words, func(a arg) bool {
		text := strings.ToLower(a.text)
		return slices.Contains([]string{"iwr", "irm", "curl", "wget", "invoke-webrequest", "invoke-restmethod", "start-bitstransfer", "net.webclient", "system.net.webclient", "curl.exe"}, text) || strings.HasPrefix(text, ".download")
	})
}

// prints reports a command that shows its words: echo, or a value by itself.
func prints(c windowsCommand) bool {
	name := strings.ToLower(c.words[0].text)
	return slices.Contains([]string{"echo", "write", "write-output", "write-host"}, name) || c.words[0].text == unknown && c.target == "" && len(c.words) == 1
}

func runsText(c windowsCommand) bool {
	name := strings.ToLower(c.words[0].text)
	return name == "iex" || name == "invoke-expression" || strings.Contains(name, "scriptblock]::create") || c.called
}

// powerShellVerbs begin the names of cmdlets; apt-get and docker-compose are
// programs.
var powerShellVerbs = names("get set new remove add clear copy move rename start stop restart invoke test write read out import export convertto convertfrom select where foreach sort group measure format initialize resize register unregister enable disable install uninstall update find save push pop join split resolve tee compare expand compress wait enter exit debug suspend resume mount dismount optimize repair reset send receive show unblock protect checkpoint restore backup limit connect disconnect publish edit merge use")

// cmdlet judges one command.
func (w *walker) cmdlet(st *state, c windowsCommand, in stream) stream {
	words, quoted := w.windowsRedirects(st, c)
	for len(words) > 0 && slices.Contains([]string{"if", "else", "elseif", "foreach", "while", "do", "try", "catch", "finally", "return", "in", "process", "begin", "end", ".", "-not", "!", "param", "function", "switch"}, strings.ToLower(words[0].text)) {
		c.called = c.called || words[0].text == "."
		words, quoted = words[1:], quoted[1:]
	}
	if len(words) == 0 {
		return in
	}
	name := strings.ToLower(base(words[0].text))
	if strings.Contains(name, "]::") {
		return w.static(words[0], name, in)
	}
	if strings.HasPrefix(name, ".download") {
		return passed(in, "curl")
	}
	if strings.Contains(words[0].text, unknown) {
		if c.called {
			w.emitAt(words[0], effect{kind: kindExec, name: name, text: words[0].text, unknown: true, inside: true})
		}
		return passed(in, "variable")
	}
	if quoted[0] && !c.called || strings.Trim(name, "-+*/%0123456789.,!=$") == "" || name[0] == '-' || name[0] == '[' || name[0] == '.' && !strings.Contains(words[0].text, `\`) && !strings.Contains(words[0].text, "/") {
		return in // a value, or an operator and its side
	}
	if full, ok := powerShellAliases()[name]; ok {
		name = full
	}
	if verb, _, ok := strings.Cut(name, "-"); ok && powerShellVerbs.has(verb) && !strings.ContainsAny(words[0].text, `/\.`) {
		if c.opens && name == "remove-item" { // rm -r (…)
			words = append(slices.Clip(words), arg{text: unknown, index: words[0].index, span: words[0].span})
		}
		return w.runCmdlet(st, name, words, in)
	}
	if slices.Contains([]string{"icacls", "takeown", "attrib", "robocopy", "xcopy", "findstr", "mklink"}, name) {
		return w.cmdCommand(st, words, in)
	}
	args := slices.Clone(words)
	args[0].text = strings.ReplaceAll(args[0].text, `\`, "/")
	return w.run(st, args, in)
}

// windowsRedirects takes redirections off and judges where they write.
func (w *walker) windowsRedirects(st *state, c windowsCommand) (words []arg, quoted []bool) {
	for i := 0; i < len(c.words); i++ {
		if sign := c.words[i].text; !c.quoted[i] && (sign == ">" || sign == "<") {
			if i++; i < len(c.words) {
				w.windowsPaths(st, effect{kind: map[string]kind{">": kindWrite, "<": kindRead}[sign]}, c.words[i])
			}
			continue
		}
		words, quoted = append(words, c.words[i]), append(quoted, c.quoted[i])
	}
	return words, quoted
}

// nestedWindows judges text that a Windows shell runs for another command.
func (w *walker) nestedWindows(st *state, construct string, a arg, in stream, judge func(*state, string, stream) stream) stream {
	if w.nested++; w.nested > maxNested {
		w.stop(problemDepth)
	}
	defer func() { w.nested-- }()
	defer w.enter(construct, a.text, a.span)()
	at := w.at
	defer func() { w.at = at }()
	w.at = origin{field: at.field, index: a.index, whole: a.span}
	w.spend(len(a.text) / 32)
	return judge(st.clone(), a.text, in)
}
