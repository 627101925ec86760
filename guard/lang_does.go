package guard

import (
	"maps"
	"slices"
	"strings"
)

// What functions do, whatever they are called: the rows of the languages' tables
// name these.

func doShell(s *script, name string, a arguments) value { return s.shell(name, a.at(0)) }

// doArgv is one string for a shell, or a program and its arguments.
func doArgv(s *script, name string, a arguments) value {
	list := a.list
	if len(list) > 0 && list[0].fields != nil { // Ruby's environment
		list = list[1:]
	}
	switch {
	case len(list) == 1 && list[0].kind == isList && s.l != &perl && s.l != &ruby:
		return s.shell(name, list[0])
	case len(list) == 1 && list[0].kind != isList:
		return s.shell(name, list[0])
	case len(list) > 1 && list[1].fields != nil && list[0].kind != isList:
		return s.shell(name, list[0])
	}
	s.exec(name, list)
	return value{}
}

// doProc is Python's subprocess: a list, or a string that is one program unless
// shell is set.
func doProc(s *script, name string, a arguments) value {
	v := a.at(0)
	if arg, ok := a.named["args"]; ok {
		v = arg
	}
	switch {
	case a.truthy("shell") && v.kind == isList && len(v.list) > 0:
		return s.shell(name, v.list[0])
	case a.truthy("shell") || v.kind != isList && v.kind != isText:
		return s.shell(name, v)
	case v.kind == isText:
		s.exec(name, []value{v})
	default:
		s.exec(name, v.list)
	}
	return value{}
}

// doSpawn is Node's spawn(program, [arguments], {shell}).
func doSpawn(s *script, name string, a arguments) value {
	list := []value{a.at(0)}
	if args := a.at(1); args.kind == isList {
		list = append(list, args.list...)
	} else if args.kind == isUnknown && args.fields == nil && len(a.list) > 1 {
		list = append(list, value{})
	}
	if args := a.option("args"); args.kind == isList { // Deno.Command
		list = append(list, args.list...)
	}
	if !a.truthy("shell") {
		s.exec(name, list)
		return value{}
	}
	text := textValue("")
	for i, v := range list {
		if i > 0 {
			text = join(text, textValue(" "))
		}
		text = join(text, v)
	}
	return s.shell(name, text)
}

// doExecv is execv(path, [argv]), doExecl execl(path, argv...).
func doExecv(s *script, name string, a arguments) value {
	list := []value{a.at(0)}
	if args := a.at(1); args.kind == isList && len(args.list) > 0 {
		list = append(list, args.list[1:]...)
	}
	s.exec(name, list)
	return value{}
}

func doExecl(s *script, name string, a arguments) value {
	if len(a.list) > 1 {
		a.list = append([]value{a.list[0]}, a.list[2:]...)
	}
	s.exec(name, a.list)
	return value{}
}

// doSpawnMode is os.spawnv(mode, path, argv) and its kin.
func doSpawnMode(s *script, name string, a arguments) value {
	if len(a.list) > 0 {
		a.list = a.list[1:]
	}
	if a.at(1).kind == isList {
		return doExecv(s, name, a)
	}
	return doExecl(s, name, a)
}

// doList is a program as a list, or as arguments.
func doList(s *script, name string, a arguments) value {
	if v := a.at(0); v.kind == isList {
		s.exec(name, v.list)
		return value{}
	}
	s.exec(name, a.list)
	return value{}
}

func doRead(s *script, _ string, a arguments) value {
	s.path(kindRead, a.at(0))
	if strings.Contains(a.at(0).string(), "://") {
		return s.download()
	}
	return value{file: true}
}

func doWrite(s *script, _ string, a arguments) value {
	s.path(kindWrite, a.at(0))
	return value{}
}

func doDelete(s *script, _ string, a arguments) value {
	for _, v := range a.list {
		if v.kind == isText || v.kind == isList {
			s.path(kindDelete, v)
		}
	}
	return value{}
}

// doDeleteTree also asks when it does not know what it deletes.
func doDeleteTree(s *script, _ string, a arguments) value {
	v := a.at(0)
	if v.kind != isText && v.kind != isList {
		v = textValue(unknown)
	}
	for _, text := range v.texts() {
		s.w.paths(s.st, effect{kind: kindDelete, recursive: true}, s.place(v, text))
	}
	return value{}
}

func doMove(s *script, _ string, a arguments) value {
	s.path(kindDelete, a.at(0))
	s.path(kindWrite, a.at(1))
	return value{}
}

func doCopy(s *script, _ string, a arguments) value {
	s.path(kindRead, a.at(0))
	s.path(kindWrite, a.at(1))
	return value{file: true}
}

func doOpen(s *script, _ string, a arguments) value {
	mode := a.at(1)
	if m, ok := a.named["mode"]; ok {
		mode = m
	}
	if file, ok := a.named["file"]; ok {
		return s.opened(file, mode)
	}
	return s.opened(a.at(0), mode)
}

func doChdir(s *script, _ string, a arguments) value {
	s.path(kindRead, a.at(0))
	if a.at(0).kind == isText {
		s.w.moveTo(s.st, a.at(0).text)
	}
	return value{}
}

func doEval(s *script, name string, a arguments) value {
	if len(a.list) == 0 {
		return value{}
	}
	return s.eval(name, a.list[0])
}

// doFunction is new Function("a", "code"): the last argument is the code.
func doFunction(s *script, name string, a arguments) value {
	if len(a.list) == 0 {
		return value{}
	}
	return s.eval(name, a.list[len(a.list)-1])
}

func doNet(s *script, _ string, a arguments) value {
	if slices.ContainsFunc(a.list, wholeEnvironment) || slices.ContainsFunc(slices.Collect(maps.Values(a.named)), wholeEnvironment) {
		s.w.send(s.at, s.l.name, hostOf(a.at(0).string()), sendsEnvironment, nil)
	}
	return s.download()
}

// wholeEnvironment is every variable at once, also as a member: {'e': os.environ}.
func wholeEnvironment(v value) bool {
	return v.kind == isRef && environment(v.ref) || slices.ContainsFunc(slices.Collect(maps.Values(v.fields)), wholeEnvironment)
}

func doSocket(s *script, _ string, _ arguments) value {
	s.socket = true
	return s.download()
}

func doFork(s *script, _ string, _ arguments) value {
	s.forks++
	return value{}
}

func doLoop(s *script, _ string, a arguments) value {
	s.loops++
	return opaque(a.list...)
}

// doWait is what servers and worker pools do, and fork bombs don't.
func doWait(s *script, _ string, _ arguments) value {
	s.waits = true
	return value{}
}

// doKill is kill(pid, signal) with -1 for every process and 1 for the first;
// Ruby and Perl name the signal before.
func doKill(s *script, name string, a arguments) value {
	for i, v := range a.list {
		if signal := s.l == &ruby || s.l == &perl; signal != (i > 0) {
			continue
		}
		if v.kind == isNumber && (v.text == "-1" || v.text == "1") {
			s.exec(name, []value{textValue("kill"), textValue("-9"), v})
		}
	}
	return value{}
}

// doDecode makes text that was not meant to be read.
func doDecode(_ *script, _ string, a arguments) value {
	v := opaque(a.list...)
	v.hidden = true
	return v
}

// doSame is a function that answers its argument, as far as we care.
func doSame(_ *script, _ string, a arguments) value {
	if len(a.list) == 0 {
		return value{}
	}
	return a.list[0]
}

// doPrint looks for the whole environment in what is printed.
func doPrint(s *script, _ string, a arguments) value {
	for _, v := range a.list {
		s.printed(v)
	}
	return opaque(a.list...)
}

func (s *script) printed(v value) {
	if v.kind == isRef && environment(v.ref) {
		s.w.emitAt(s.at, effect{kind: kindDump, name: s.l.name, text: v.ref})
	}
}

func doDump(s *script, name string, _ arguments) value {
	s.w.emitAt(s.at, effect{kind: kindDump, name: s.l.name, text: name})
	return value{}
}

// doGetenv is one variable; without a name it is all of them.
func doGetenv(s *script, name string, a arguments) value {
	if len(a.list) == 0 {
		return doDump(s, name, a)
	}
	if key := a.list[0]; key.known() {
		return textValue(s.w.get(s.st, key.text))
	}
	return value{}
}

func doHome(s *script, _ string, _ arguments) value { return textValue(s.w.home) }

func doCwd(*script, string, arguments) value { return textValue(".") }

// doExpandHome is ~/x as Python's expanduser and Ruby's expand_path read it.
func doExpandHome(s *script, _ string, a arguments) value {
	v := a.at(0)
	if rest, ok := strings.CutPrefix(v.string(), "~"); ok && (rest == "" || rest[0] == '/') {
		v.text = s.w.home + rest
	}
	return v
}

// doPathJoin puts a path together; an absolute part starts again.
func doPathJoin(_ *script, _ string, a arguments) value {
	out := textValue("")
	for i, v := range a.list {
		switch text := v.string(); {
		case i == 0 || strings.HasPrefix(text, "/"):
			out = textValue(text)
		default:
			out = textValue(strings.TrimSuffix(out.text, "/") + "/" + text)
		}
	}
	return out
}

// doGlob is a pattern, which stands for the names it finds.
func doGlob(s *script, _ string, a arguments) value {
	s.path(kindRead, a.at(0))
	return a.at(0)
}

// doLoad runs or loads a file of the language by its name.
func doLoad(s *script, _ string, a arguments) value {
	if v := a.at(0); v.kind == isText && strings.ContainsAny(v.text, "/") {
		s.path(kindRead, v)
	}
	return value{}
}

// doStdin is what the program is fed, when that is known.
func doStdin(s *script, _ string, _ arguments) value {
	v := textValue(s.in.text)
	if !s.in.open {
		v = value{}
	}
	v.from = s.in.from
	return v
}
