package guard

import (
	"slices"
	"strings"
	"sync"
)

// how each cmdlet uses the paths it is given; the last one of two may differ.
var cmdlets = sync.OnceValue(func() map[string]struct{ first, last role } {
	return map[string]struct{ first, last role }{
		"remove-item": {del, del}, "clear-content": {write, write}, "clear-item": {del, del}, "get-content": {read, read}, "select-string": {none, read}, "copy-item": {uses, write}, "move-item": {del, write}, "rename-item": {del, none},
		"get-childitem": {uses, uses}, "get-item": {uses, uses}, "set-content": {write, none}, "add-content": {write, none}, "out-file": {write, write}, "new-item": {write, write}, "tee-object": {write, write}, "import-csv": {read, read}, "export-csv": {write, write},
		"get-filehash": {uses, uses}, "compress-archive": {read, write}, "expand-archive": {uses, write}, "import-clixml": {read, read}, "format-hex": {read, read}, "set-location": {uses, uses}, "invoke-item": {uses, uses}, "get-acl": {uses, uses}, "set-acl": {write, none},
	}
})

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
	if _, one := params["id"]; name == "stop-process" && slices.Contains(in.from, "get-process") && !one {
		e.args = append(slices.Clip(e.args), arg{text: "*", index: words[0].index, span: words[0].span}) // whatever it listed
	}
	w.emitAt(words[0], e)
	switch name {
	case "invoke-expression":
		return w.expression(st, words[0], positional, in)
	case "invoke-webrequest", "invoke-restmethod", "start-bitstransfer":
		return w.webRequest(st, name, params, positional, in)
	case "start-process", "invoke-command":
		if a, ok := params["argumentlist"]; ok {
			positional = append(positional, a)
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
	use, ok := cmdlets()[name]
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
		a.text = strings.ReplaceAll(a.text, `\`, "/")
		w.keep(st, []arg{a}, stream{text: unknown, from: []string{"curl"}}, false)
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
	args := slices.Clone(positional[:1])
	args[0].text = strings.ReplaceAll(args[0].text, `\`, "/")
	for _, a := range positional[1:] { // a list of arguments may be one string
		for word := range strings.FieldsSeq(a.text) {
			args = append(args, arg{text: word, index: a.index, span: a.span})
		}
	}
	return w.run(st, args, in)
}

// static is a method of a .NET type without its arguments.
func (w *walker) static(a arg, name string, in stream) stream {
	switch {
	case strings.Contains(name, "setenvironmentvariable"):
		w.emitAt(a, effect{kind: kindExec, name: "setx", text: a.text, inside: true})
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
	if name == "start" && strings.Contains(strings.ToLower(a.text), "process]") {
		w.starts(st, args, stream{})
		return
	}
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
