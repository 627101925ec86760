package lang

import (
	_ "embed"
	"maps"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// callsText says what the functions of languages do: "language NAME", then lines of a
// word of doers and the names that do that. "methods" are those of strings and lists that
// most languages share.
//
//go:embed calls.txt
var callsText string

// callTables are read when the first code in a language is met. No variable's initial
// value can be them: what the calls do is run other code in a language.
var callTables struct {
	once sync.Once
	of   map[string]map[string]call
}

// callsOf are the functions of a language.
func callsOf(language string) map[string]call {
	t := &callTables
	t.once.Do(func() { t.of = readCalls(callsText, doers()) })
	return t.of[language]
}

func readCalls(text string, doers map[string]call) map[string]map[string]call {
	of := map[string]map[string]call{}
	var in map[string]call
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) < 2:
		case words[0] == "language":
			in = map[string]call{}
			of[words[1]] = in
		default:
			for _, name := range words[1:] {
				in[name] = doers[words[0]]
			}
		}
	}
	// fs.promises and the modules with a prefix are the same functions.
	js, more := of["node"], map[string]call{}
	for name, does := range js {
		if rest, ok := strings.CutPrefix(name, "fs."); ok {
			for _, as := range []string{"fs.promises.", "fs/promises.", "fs-extra.", "fse.", "graceful-fs."} {
				more[as+rest] = does
			}
		}
	}
	maps.Copy(js, more)
	return of
}

// doers are what calls.txt names.
func doers() map[string]call {
	return map[string]call{
		"argv": doArgv, "buffer": doBuffer, "builtins": always(refValue("builtins")), "callback": doCallback,
		"chdir": doChdir, "concat": doConcat, "copy": doCopy, "cwd": always(textValue(".")), "decode": doDecode,
		"delete": doDelete, "deletefirst": then(doDelete, arguments.only), "deletemethod": doDeleteMethod,
		"deletetree": doDeleteTree, "denorun": doDenoRun, "dict": doDict, "dump": doDump,
		"environment": always(refValue("os.environ")), "eval": doEval, "execl": doExecl, "execv": doExecv,
		"expandhome": doExpandHome, "extract": then(doWrite, arguments.after), "fill": doFill, "fork": doFork,
		"format": doFormat, "function": doFunction, "getattr": doGetattr, "getenv": doGetenv, "glob": doGlob, "home": doHome,
		"import": doImport, "interval": doInterval, "join": doJoin, "kill": doKill, "library": doLibrary,
		"list": doList, "load": doLoad, "loadcode": doLoadCode, "loop": doLoop, "map": doMap,
		"mapmethod": doMapMethod, "move": doMove, "net": doNet, "open": doOpen,
		"opendir": then(touches(effect.Read, false), arguments.after),
		"osopen":  doOSOpen, "parsetext": doParseText, "paste": doPaste, "pathglob": doPathGlob,
		"pathjoin": doPathJoin, "perljoin": doPerlJoin, "perlopen": doPerlOpen,
		"perlsysopen": then(touches(effect.Write, false), arguments.after), "phpexec": doPHPExec, "popen": doPopen,
		"print": doPrint, "proc": doProc, "pty": doList, "read": doRead, "replace": doReplace, "require": doRequire,
		"routput": doROutput, "rubyopen": doRubyOpen, "rubyread": doRubyRead, "same": doSame,
		"send": doSend, "shell": doShell, "socket": doSocket, "spawn": doSpawn, "spawnmode": doSpawnMode,
		"split": doSplit, "stdin": doStdin, "template": doTemplate, "timer": doTimer,
		"unlinkpath": then(doDelete, arguments.only), "wait": doWait, "write": doWrite,
		"writerest": then(touches(effect.Write, true), arguments.after),
	}
}
