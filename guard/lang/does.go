package lang

import (
	"maps"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program/run"
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
	if len(list) == 1 && (list[0].kind != isList || s.l != &perl && s.l != &Ruby) ||
		len(list) > 1 && list[1].fields != nil && list[0].kind != isList {
		return s.shell(name, list[0])
	}
	s.exec(name, list)
	return value{}
}

// doProc is Python's subprocess: a list, or a string that is one program unless
// shell is set.
func doProc(s *script, name string, a arguments) value {
	v := a.either("args", 0)
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
	return s.shell(name, joined(list, " "))
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
	if a = a.after(1); a.at(1).kind == isList {
		return doExecv(s, name, a)
	}
	return doExecl(s, name, a)
}

// doList is a program as a list, or as arguments.
func doList(s *script, name string, a arguments) value {
	s.exec(name, a.items())
	return value{}
}

func doEval(s *script, name string, a arguments) value {
	return doFunction(s, name, a.only(1))
}

// doFunction is new Function("a", "code"): the last argument is the code.
func doFunction(s *script, name string, a arguments) value {
	if len(a.list) == 0 {
		return value{}
	}
	last := len(a.list) - 1
	for _, p := range a.list[:last] { // called with require it can do all that a program can
		if p.known() && s.names[p.text].kind == isUnknown {
			s.names[p.text] = refValue("require")
		}
	}
	return s.eval(name, a.list[last])
}

func doNet(s *script, name string, a arguments) value {
	verb, target := a.option("method"), a.at(0)
	if len(a.list) > 1 && strings.EqualFold(target.string(), "delete") { // request("DELETE", url)
		verb, target = target, a.at(1)
	}
	if strings.HasSuffix(name, ".delete") || strings.EqualFold(verb.string(), "delete") {
		if host := place.HostOf(target.string()); place.Elsewhere(host) {
			run.Send(s.w, s.at, s.l.Name, host, effect.ChangesThere, nil)
		}
	}
	if slices.ContainsFunc(a.list, wholeEnvironment) ||
		slices.ContainsFunc(slices.Collect(maps.Values(a.named)), wholeEnvironment) {
		run.Send(s.w, s.at, s.l.Name, place.HostOf(a.at(0).string()), effect.SendsEnvironment, nil)
	}
	return s.download()
}

// doSource installs a package; over plain HTTP anyone on the way can put other code into it.
func doSource(s *script, name string, a arguments) value {
	for _, v := range append(slices.Collect(maps.Values(a.named)), a.list...) {
		for _, text := range v.texts() {
			run.Value(s.w, s.st, "registry", name, s.place(v, text))
		}
	}
	return value{}
}

// doUnpickle makes objects by calling what the text names.
func doUnpickle(s *script, name string, a arguments) value {
	v := a.at(0)
	if v.kind == isText && effect.Holds(v.text, "system popen subprocess posix exec eval import builtin") {
		s.hide(name)
	}
	return doDecode(s, name, a)
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
		if signal := s.l == &Ruby || s.l == &perl; signal != (i > 0) {
			continue
		}
		if v.kind == isNumber && (v.text == "-1" || v.text == "1") {
			s.exec(name, []value{textValue("kill"), textValue("-9"), v})
		}
	}
	return value{}
}

// doLoad runs or loads a file of the language by its name.
func doLoad(s *script, _ string, a arguments) value {
	if v := a.at(0); v.kind == isText && strings.ContainsAny(v.text, "/") {
		s.path(effect.Read, v)
	}
	return value{}
}

// doStdin is what the program is fed, when that is known.
func doStdin(s *script, _ string, _ arguments) value {
	if !s.in.Open {
		return value{from: s.in.From}
	}
	v := textValue(s.in.Text)
	v.from = s.in.From
	return v
}
