package guard

import (
	"slices"
	"strings"
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
var powerShellAliases = map[string]string{
	"rm": "remove-item", "ri": "remove-item", "del": "remove-item", "erase": "remove-item", "rd": "remove-item", "rmdir": "remove-item", "cat": "get-content", "gc": "get-content", "type": "get-content", "sls": "select-string",
	"cp": "copy-item", "copy": "copy-item", "cpi": "copy-item", "mv": "move-item", "move": "move-item", "mi": "move-item", "ren": "rename-item", "rni": "rename-item", "ls": "get-childitem", "dir": "get-childitem", "gci": "get-childitem",
	"cd": "set-location", "sl": "set-location", "chdir": "set-location", "pushd": "set-location", "push-location": "set-location", "sc": "set-content", "ac": "add-content", "ni": "new-item", "md": "new-item", "mkdir": "new-item", "tee": "tee-object", "clc": "clear-content",
	"iex": "invoke-expression", "iwr": "invoke-webrequest", "irm": "invoke-restmethod", "saps": "start-process", "start": "start-process", "spps": "stop-process", "kill": "stop-process", "icm": "invoke-command", "sasv": "start-service", "spsv": "stop-service",
	"echo": "write-output", "write": "write-output", "gi": "get-item", "sp": "set-itemproperty", "ii": "invoke-item", "clhy": "clear-history", "gcb": "get-clipboard", "ipmo": "import-module", "sal": "set-alias", "nal": "new-alias",
}

// how each cmdlet uses the paths it is given; the last one of two may differ.
var cmdlets = map[string]struct{ first, last role }{
	"remove-item": {del, del}, "clear-content": {write, write}, "clear-item": {del, del}, "get-content": {read, read}, "select-string": {none, read}, "copy-item": {uses, write}, "move-item": {del, write}, "rename-item": {del, none},
	"get-childitem": {uses, uses}, "get-item": {uses, uses}, "set-content": {write, none}, "add-content": {write, none}, "out-file": {write, write}, "new-item": {write, write}, "tee-object": {write, write}, "import-csv": {read, read}, "export-csv": {write, write},
	"get-filehash": {uses, uses}, "compress-archive": {read, write}, "expand-archive": {uses, write}, "import-clixml": {read, read}, "format-hex": {read, read}, "set-location": {uses, uses}, "invoke-item": {uses, uses}, "get-acl": {uses, uses}, "set-acl": {write, none},
}

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
		if !c.piped {
			pipe = stream{}
		}
		if fetched && evaluates(c) {
			// Brackets between them are not followed: one download is enough.
			pipe.from = mixed(pipe.from, "curl")
		}
		if c.secret != "" && !(i+1 < len(commands) && commands[i+1].piped) && prints(c) {
			w.emitAt(c.words[0], effect{kind: kindSecret, name: "variable", text: c.secret})
		}
		out = w.cmdlet(st, c, pipe)
		// Blocks and brackets only group: what they print flows on.
		out.from = mixed(pipe.from, out.from...)
		pipe, was = out, c
		pipe.open = true
	}
	return out
}

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

func evaluates(c windowsCommand) bool {
	name := strings.ToLower(c.words[0].text)
	return name == "iex" || name == "invoke-expression" || strings.Contains(name, "scriptblock]::create") || c.called
}

// powerShellVerbs begin the names of cmdlets; apt-get and docker-compose are
// programs.
var powerShellVerbs = strings.Fields("get set new remove add clear copy move rename start stop restart invoke test write read out import export convertto convertfrom select where foreach sort group measure format initialize resize register unregister enable disable install uninstall update find save push pop join split resolve tee compare expand compress wait enter exit debug suspend resume mount dismount optimize repair reset send receive show unblock protect checkpoint restore backup limit connect disconnect publish edit merge use")

// cmdlet judges one command.
func (w *walker) cmdlet(st *state, c windowsCommand, in stream) stream {
	words, quoted := w.written(st, c)
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
	if full, ok := powerShellAliases[name]; ok {
		name = full
	}
	if verb, _, ok := strings.Cut(name, "-"); ok && slices.Contains(powerShellVerbs, verb) && !strings.ContainsAny(words[0].text, `/\.`) {
		return w.runCmdlet(st, name, words, in)
	}
	if slices.Contains([]string{"icacls", "takeown", "attrib", "robocopy", "xcopy", "findstr", "mklink"}, name) {
		return w.cmdCommand(st, words, in)
	}
	args := slices.Clone(words)
	args[0].text = strings.ReplaceAll(args[0].text, `\`, "/")
	return w.run(st, args, in)
}

// written takes redirections off and judges where they write.
func (w *walker) written(st *state, c windowsCommand) (words []arg, quoted []bool) {
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

// parameters sorts a cmdlet's words: switches and named values by their lower-case
// name, the rest by position.
func parameters(words []arg) (named map[string]arg, positional []arg) {
	named = map[string]arg{}
	for i := 0; i < len(words); i++ {
		text := words[i].text
		if len(text) < 2 || text[0] != '-' && text[0] != 0xe2 || text[1] >= '0' && text[1] <= '9' {
			positional = append(positional, words[i])
			continue
		}
		name, value, joined := strings.Cut(strings.ToLower(text[1:]), ":")
		a := words[i]
		a.text, a.exact = value, false
		if !joined && i+1 < len(words) && !strings.HasPrefix(words[i+1].text, "-") && !switches(name) {
			i++
			a = words[i]
		}
		named[name] = a
	}
	return named, positional
}

// switches are parameters without a value, as far as they stand before paths.
func switches(name string) bool {
	for _, s := range [...]string{"recurse", "force", "whatif", "confirm", "verbose", "passthru", "nonewline", "append", "raw", "usebasicparsing", "wait", "nonewwindow", "hidden", "directory", "noprofile", "asjob", "simplematch", "quiet"} {
		if name != "" && strings.HasPrefix(s, name) && name != "path" {
			return true
		}
	}
	return name == "fo" || name == "r"
}

func (w *walker) runCmdlet(st *state, name string, words []arg, in stream) stream {
	params, positional := parameters(words[1:])
	if _, dry := params["whatif"]; dry {
		return passed(in, name)
	}
	for _, key := range [...]string{"path", "literalpath", "filepath", "destination", "outfile", "destinationpath"} {
		if a, ok := params[key]; ok {
			positional = append(positional, a)
		}
	}
	e := effect{kind: kindExec, name: name, args: words[1:], text: words[0].text, inside: true}
	w.emitAt(words[0], e)
	switch name {
	case "invoke-expression":
		return w.expression(st, words[0], positional, in)
	case "invoke-webrequest", "invoke-restmethod", "start-bitstransfer":
		return w.webRequest(st, name, params, positional, in)
	case "start-process", "invoke-command":
		if a, ok := params["argumentlist"]; ok {
			for word := range strings.FieldsSeq(a.text) {
				positional = append(positional, arg{text: word, index: a.index, span: a.span})
			}
		}
		return w.starts(st, positional, in)
	case "get-childitem", "get-item":
		if len(positional) > 0 && strings.HasPrefix(strings.ToLower(positional[0].text), "env:") {
			w.emitAt(words[0], effect{kind: kindSecret, name: "environment", text: name})
			return passed(in, "env")
		}
	case "set-location":
		if len(positional) > 0 {
			to := positional[0]
			to.text = strings.ReplaceAll(to.text, `\`, "/")
			w.windowsPaths(st, effect{kind: kindRead, discreet: true}, to)
			w.moveTo(st, to.text)
		}
		return stream{}
	}
	w.cmdletPaths(st, name, params, positional, in)
	return passed(in, name)
}

func (w *walker) cmdletPaths(st *state, name string, params map[string]arg, positional []arg, in stream) {
	use, ok := cmdlets[name]
	if !ok {
		return
	}
	_, r1 := params["recurse"]
	_, r2 := params["r"]
	deep := r1 || r2 || slices.ContainsFunc([]string{"re", "rec", "recu", "recur", "recurs"}, func(k string) bool { _, ok := params[k]; return ok })
	for i, a := range positional {
		r := use.first
		if i > 0 && i == len(positional)-1 {
			r = use.last
		}
		switch r {
		case del:
			w.windowsPaths(st, effect{kind: kindDelete, recursive: deep}, a)
		case write:
			w.windowsPaths(st, effect{kind: kindWrite}, a)
		case read:
			w.windowsPaths(st, effect{kind: kindRead}, a)
		case uses:
			w.windowsPaths(st, effect{kind: kindRead, discreet: true}, a)
		}
	}
	if name == "remove-item" && len(positional) == 0 && len(in.from) > 0 && deep {
		w.emit(effect{kind: kindDelete, unknown: true, text: "what is piped in", span: w.at.whole})
	}
}

// expression is Invoke-Expression: text in it is judged, anything else is code
// that nobody has seen.
func (w *walker) expression(st *state, at arg, operands []arg, in stream) stream {
	for _, a := range operands {
		if strings.Contains(a.text, unknown) {
			w.emitAt(a, effect{kind: kindCode, name: "powershell", text: "Invoke-Expression", from: in.from})
			continue
		}
		w.nestedWindows(st, "Invoke-Expression", a, in, w.powershell)
	}
	if len(operands) == 0 {
		from := in.from
		w.emitAt(at, effect{kind: kindCode, name: "powershell", text: "Invoke-Expression", from: from})
	}
	return somewhere
}

func (w *walker) webRequest(st *state, name string, params map[string]arg, positional []arg, in stream) stream {
	p := parcel{w: w, st: st, in: in}
	if a, ok := params["infile"]; ok {
		p.file(a, strings.ReplaceAll(a.text, `\`, "/"), true)
	}
	if a, ok := params["outfile"]; ok {
		w.windowsPaths(st, effect{kind: kindWrite}, a)
	}
	for _, key := range [...]string{"uri", "source"} {
		if a, ok := params[key]; ok {
			w.request(name, []arg{a}, p)
		}
	}
	if len(positional) > 0 {
		w.request(name, positional[:1], p)
	}
	return passed(in, "curl")
}

func (w *walker) starts(st *state, positional []arg, in stream) stream {
	if len(positional) == 0 || !w.deeper() {
		return somewhere
	}
	defer func() { w.nested-- }()
	if strings.Contains(positional[0].text, "://") { // opens a page
		return somewhere
	}
	args := slices.Clone(positional)
	args[0].text = strings.ReplaceAll(args[0].text, `\`, "/")
	return w.run(st, args, in)
}

// static is a method of a .NET type without its arguments.
func (w *walker) static(a arg, name string, in stream) stream {
	switch {
	case strings.Contains(name, "getenvironmentvariables"):
		w.emitAt(a, effect{kind: kindSecret, name: "environment", text: a.text})
	case strings.Contains(name, "frombase64string"), strings.Contains(name, "scriptblock]::create"), strings.Contains(name, "assembly]::load"):
		w.emitAt(a, effect{kind: kindCode, name: "powershell", text: a.text, from: in.from})
	}
	return passed(in, name)
}

// method judges the paths given to methods of files and directories.
func (w *walker) method(st *state, a arg, args []arg) {
	_, name, _ := strings.Cut(strings.ToLower(a.text), "]::")
	if len(args) == 0 || !strings.Contains(strings.ToLower(a.text), "file]") && !strings.Contains(strings.ToLower(a.text), "directory]") {
		return
	}
	e := effect{kind: kindRead}
	switch {
	case strings.HasPrefix(name, "delete"):
		e = effect{kind: kindDelete, recursive: true}
	case strings.HasPrefix(name, "write"), strings.HasPrefix(name, "append"), strings.HasPrefix(name, "create"), strings.HasPrefix(name, "copy"), strings.HasPrefix(name, "move"):
		e.kind = kindWrite
	case strings.HasPrefix(name, "exists"), strings.HasPrefix(name, "get"):
		e.discreet = true
	}
	w.windowsPaths(st, e, args[0])
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
