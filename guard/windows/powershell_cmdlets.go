package windows

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/net"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/program/sql"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// parameters sorts a cmdlet's words: switches and named values by their lower-case
// name, the rest by position.
func parameters(words []effect.Arg) (named map[string]effect.Arg, positional []effect.Arg) {
	named = map[string]effect.Arg{}
	for i := 0; i < len(words); i++ {
		text := words[i].Text
		if len(text) < 2 || text[0] != '-' && text[0] != 0xe2 || text[1] >= '0' && text[1] <= '9' {
			positional = append(positional, words[i])
			continue
		}
		name, value, joined := strings.Cut(strings.ToLower(text[1:]), ":")
		a := effect.Renamed(words[i], value)
		known, valued := own(name)
		if !joined && i+1 < len(words) && !strings.HasPrefix(words[i+1].Text, "-") && (!known || valued) {
			i++
			a = words[i]
		}
		named[name] = a
	}
	return named, positional
}

// valuesOf are the values of those parameters that are given.
func valuesOf(named map[string]effect.Arg, keys string) (out []effect.Arg) {
	for key := range strings.FieldsSeq(keys) {
		if a, ok := named[key]; ok {
			out = append(out, a)
		}
	}
	return out
}

// own reports a parameter that comes before paths or is of Start-Process, as far as it is given,
// and whether it has a value.
func own(name string) (known, valued bool) {
	return name != "" && effect.Any(`recurse force whatif confirm verbose passthru nonewline append raw
		usebasicparsing wait nonewwindow hidden directory noprofile asjob simplematch quiet windowstyle= verb=
		filepath= workingdirectory= redirectstandardoutput= redirectstandarderror= redirectstandardinput= erroraction=
		credential= computername= scriptblock= session=`, func(s string) bool {
		s, valued = strings.CutSuffix(s, "=")
		return strings.HasPrefix(s, name) && (!valued || len(name) > 1)
	}), valued
}

func runCmdlet(w *shell.Walker, st *shell.State, name string, words []effect.Arg, in effect.Stream) effect.Stream {
	params, positional := parameters(words[1:])
	if _, dry := params["whatif"]; dry {
		return effect.Passed(in, name)
	}
	positional = append(positional, valuesOf(params, "path literalpath filepath destination outfile destinationpath")...)
	e := effect.Effect{Kind: effect.Exec, Name: name, Args: words[1:], Text: words[0].Text, Inside: true}
	if _, one := params["id"]; name == "stop-process" && slices.Contains(in.From, "get-process") && !one {
		// Whatever it listed.
		e.Args = append(slices.Clip(e.Args), words[0].Instead("*", nil))
	}
	w.EmitAt(words[0], e)
	switch name {
	case "invoke-expression":
		return expression(w, st, words[0], positional, in)
	case "invoke-webrequest", "invoke-restmethod", "start-bitstransfer":
		return webRequest(w, st, name, params, positional, in)
	case "start-process", "invoke-command":
		n := min(1, len(positional))
		return starts(w, st, slices.Concat(positional[:n], argumentList(words), positional[n:]), in)
	case "get-childitem", "get-item":
		if len(positional) > 0 && strings.HasPrefix(strings.ToLower(positional[0].Text), "env:") {
			w.EmitAt(words[0], effect.Effect{Kind: effect.Secret, Name: "environment", Text: name})
			return effect.Passed(in, "env")
		}
	case "set-content", "add-content", "out-file", "tee-object", "new-item":
		content(w, st, name, params, positional, in)
	case "add-type", "import-module":
		assemblies(w, st, words[0], params, positional, in)
	case "invoke-sqlcmd":
		sql.Queries(w, st, append([]effect.Arg{effect.Renamed(words[0], name)}, words[1:]...), in)
	case "set-alias", "new-alias": // the alias runs that
		if len(positional) > 1 {
			cmdlet(w, st, windowsCommand{words: positional[1:2], quoted: []bool{false}, called: true}, effect.Stream{})
		}
	case "set-location":
		if len(positional) > 0 {
			goes(w, st, positional[0])
		}
		return effect.Stream{}
	}
	cmdletPaths(w, st, name, params, positional, in)
	switch {
	case name == "get-childitem":
		return listing(positional, valuesOf(params, "include inc filter fi"))
	case effect.Among(name, "where-object sort-object select-object") && slices.Contains(in.From, "get-childitem"):
		return in
	}
	return effect.Passed(in, name)
}

// listing is what Get-ChildItem hands on: those of one name below a directory, as in -Include
// bin,obj -Recurse, or all in a directory that has a name.
func listing(paths, names []effect.Arg) effect.Stream {
	all, out := append(names, paths...), effect.Passed(effect.Stream{}, "get-childitem")
	nameless := func(s string) bool { return strings.Trim(s, `*.?/\~`) == "" }
	switch {
	case len(all) == 0, nameless(all[0].Text), strings.Contains(strings.Join(effect.Texts(all), ""), effect.Unknown):
	case len(names) > 0 && !argv.AnyText(all, func(s string) bool { return s != "." && nameless(s) }):
		out.Text = all[0].Text
	case len(all) == 1:
		out.Text = strings.TrimRight(all[0].Text, `/\*`) + "/*"
	}
	return out
}

func cmdletPaths(w *shell.Walker, st *shell.State, name string, params map[string]effect.Arg, positional []effect.Arg,
	in effect.Stream,
) {
	use, ok := names("cmdlet")[name]
	if !ok {
		return
	}
	if name == "remove-item" && len(positional) == 0 && in.Open && !strings.Contains(in.Text, effect.Unknown) {
		positional = append(positional, w.Here(in.Text))
	}
	deep := len(valuesOf(params, "r re rec recu recur recurs recurse")) > 0
	pathsByRoles(w, st, use, deep, positional)
	if name == "remove-item" && len(positional) == 0 && len(in.From) > 0 && deep {
		w.Emit(effect.Effect{Kind: effect.Delete, Unknown: true, Text: "what is piped in", Span: w.At.Whole})
	}
}

// expression is Invoke-Expression: text in it is judged, anything else is unseen code.
func expression(w *shell.Walker, st *shell.State, at effect.Arg, operands []effect.Arg,
	in effect.Stream,
) effect.Stream {
	for _, a := range operands {
		if strings.Contains(a.Text, effect.Unknown) {
			w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: "powershell", Text: "Invoke-Expression", From: in.From})
			continue
		}
		nestedWindows(w, st, "Invoke-Expression", a, in, "powershell")
	}
	if len(operands) == 0 {
		w.EmitAt(at, effect.Effect{Kind: effect.Code, Name: "powershell", Text: "Invoke-Expression", From: in.From})
	}
	return effect.Somewhere
}

func webRequest(w *shell.Walker, st *shell.State, name string, params map[string]effect.Arg, positional []effect.Arg,
	in effect.Stream,
) effect.Stream {
	p := net.Parcel{W: w, St: st, In: in}
	if a, ok := params["infile"]; ok {
		p.File(a, strings.ReplaceAll(a.Text, `\`, "/"), true)
	}
	if kind := params["transfertype"]; strings.HasPrefix(strings.ToLower(kind.Text), "upload") {
		for _, a := range valuesOf(params, "source") {
			p.File(a, strings.ReplaceAll(a.Text, `\`, "/"), true)
		}
		net.Request(w, name, valuesOf(params, "destination"), p)
		return effect.Somewhere
	}
	for _, a := range valuesOf(params, "o out outf outfile destination") {
		run.WindowsPaths(w, st, effect.Effect{Kind: effect.Write}, a)
		keep(w, st, a, effect.Stream{Text: effect.Unknown, From: []string{"curl"}})
	}
	if len(positional) > 1 && name == "start-bitstransfer" {
		keep(w, st, positional[1], effect.Stream{Text: effect.Unknown, From: []string{"curl"}})
	}
	net.Request(w, name, valuesOf(params, "uri source"), p)
	if len(positional) > 0 {
		net.Request(w, name, positional[:1], p)
	}
	return effect.Passed(in, "curl")
}

// argumentList is what -ArgumentList lists, options too: its first value, and those after it that
// are not known for one of Start-Process. Values without a dash are read by position.
func argumentList(words []effect.Arg) (list []effect.Arg) {
	at := slices.IndexFunc(words, func(a effect.Arg) bool {
		return len(a.Text) > 1 && effect.Any("-argumentlist -args", func(s string) bool {
			return strings.HasPrefix(s, strings.ToLower(a.Text))
		})
	})
	for i, a := range words[at+1:] {
		name := strings.ToLower(strings.TrimPrefix(a.Text, "-"))
		switch known, _ := own(name); {
		case at < 0, i > 0 && known && strings.HasPrefix(a.Text, "-"):
			return list
		case i == 0, strings.HasPrefix(a.Text, "-"):
			list = append(list, a)
		}
	}
	return list
}

func starts(w *shell.Walker, st *shell.State, positional []effect.Arg, in effect.Stream) effect.Stream {
	if len(positional) == 0 || !w.Deeper() {
		return effect.Somewhere
	}
	defer w.Back()
	if strings.Contains(positional[0].Text, "://") { // opens a page
		return effect.Somewhere
	}
	args := slashed(positional[:1])
	for _, a := range positional[1:] { // a list of arguments may be one string
		for word := range strings.FieldsSeq(a.Text) {
			args = append(args, a.Instead(word, nil))
		}
	}
	return w.Run(st, args, in)
}

// static is a method of a .NET type without its arguments.
func static(w *shell.Walker, a effect.Arg, name string, in effect.Stream) effect.Stream {
	switch {
	case strings.Contains(name, "setenvironmentvariable"):
		w.EmitAt(a, effect.Effect{Kind: effect.Exec, Name: "setx", Text: a.Text, Inside: true})
	case strings.Contains(name, "getenvironmentvariables"):
		w.EmitAt(a, effect.Effect{Kind: effect.Secret, Name: "environment", Text: a.Text})
	case strings.Contains(name, "frombase64string"), strings.Contains(name, "scriptblock]::create"),
		strings.Contains(name, "assembly]::load"):
		w.EmitAt(a, effect.Effect{Kind: effect.Code, Name: "powershell", Text: a.Text, From: in.From})
	}
	return effect.Passed(in, name)
}

// method judges the paths given to methods of files and directories.
func method(w *shell.Walker, st *shell.State, a effect.Arg, args []effect.Arg) {
	text := strings.ToLower(a.Text)
	_, name, _ := strings.Cut(text, "]::")
	if name == "start" && strings.Contains(text, "process]") {
		starts(w, st, args, effect.Stream{})
		return
	}
	if len(args) == 0 || !effect.Holds(text, "file] directory]") {
		return
	}
	e := effect.Effect{Kind: effect.Read}
	switch {
	case strings.HasPrefix(name, "delete"):
		e = effect.Effect{Kind: effect.Delete, Recursive: true}
	case effect.Begins(name, "write append create copy move"):
		e.Kind = effect.Write
	case strings.HasPrefix(name, "exists"), strings.HasPrefix(name, "get"):
		e.Discreet = true
	}
	if strings.Contains(args[0].Text, "]::") { // what a method answers
		args[0] = args[0].Instead(effect.Unknown, nil)
	}
	run.WindowsPaths(w, st, e, args[0])
	if len(args) > 1 && effect.Begins(name, "writeall appendall") {
		keep(w, st, args[0], effect.Printed(args[1].Text))
	}
}
