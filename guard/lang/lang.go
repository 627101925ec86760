// Package lang reads one-liners and scripts in other languages as far as they tell
// what they do: where strings end, which calls run programs, touch files or talk to
// hosts. It has no grammar of any of them, and is not led astray by what it can't
// read.
package lang

import (
	_ "embed"
	"maps"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Language is the surface of a language as far as one-liners need it: where
// strings and comments begin and end, so that `print("rm -rf /")` is text and
// os.system("rm -rf /") is not.
type Language struct {
	Name     string
	Comments []string  // starts of comments that end with the line
	block    [2]string // a comment that doesn't
	Quotes   string    // characters that begin a string
	raw      string    // those of quotes in which a backslash is only itself
	backtick byte      // 'c' runs a command, 't' is a template, 0 is nothing
	hole     string    // what begins code inside a double-quoted string
	Sigils   string    // characters that are part of a name when they begin it
	joins    string    // the operator that joins two strings
	quoting  string    // "perl" or "ruby": q{} qx{} s///e, %x{} %q{}
	long     bool      // [[…]] is a string
	Regexes  bool      // /…/ may be a pattern
	Lines    bool      // a line's end ends the statement
	bare     bool      // a call needs no parentheses
	braces   bool      // $x{…} is a member
	named    byte      // what follows the name of a named argument
}

// languagesText is the names of languages' programs and files, and their options.
//
//go:embed languages.txt
var languagesText string

// Looks are the languages, by the names that models and languages.txt have for them.
var Looks = sync.OnceValue(func() map[string]*Language {
	return map[string]*Language{
		"python": &Python, "node": &javascript, "perl": &perl, "ruby": &Ruby, "php": &php, "lua": &Lua, "r": &rLang,
		"julia": &julia, "osascript": &appleScript, "tcl": &tcl, "single": &RareSingle, "double": &RareDouble, "lisp": &Lisp,
	}
})

// Languages by the programs that run them.
var Languages = sync.OnceValue(func() map[string]*Language { return looksBy("programs") })

func looksBy(key string) map[string]*Language {
	m := map[string]*Language{}
	for look, names := range argv.Lists(languagesText, key) {
		for _, name := range names {
			m[name] = Looks()[look]
		}
	}
	return m
}

// LanguageOf finds the language of python3.12 as well as of python3.
func LanguageOf(name string) *Language {
	if l, ok := Languages()[name]; ok {
		return l
	}
	short := strings.TrimRight(name, "0123456789.")
	if short == "" || short == "r" {
		return nil
	}
	return Languages()[strings.TrimRight(short, "-")]
}

// call is what a function of a language does with its arguments.
type call func(s *script, name string, args arguments) value

// Family is the interpreters, and code in their languages.
func Family() run.Family {
	f := run.Family{
		Does: map[string]shell.Handler{}, Kinds: map[string]run.Kind{"source": sourceFile, "vbs": vbs},
		Code:  func(name string) bool { return LanguageOf(name) != nil },
		Named: interpreterOf,
		After: []run.Look{rare, handed, planted}, Prints: userSite,
	}
	for name, l := range Languages() {
		f.Does[name] = Interpreter
		f.Kinds[name] = func(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
			Foreign(w, st, l, construct, a, nil, effect.Stream{}, false)
		}
	}
	return f
}

// userSite is where a Python says that its user's modules are.
func userSite(w *shell.Walker, _ *shell.State, name string, args []effect.Arg, _, out effect.Stream) effect.Stream {
	if strings.HasPrefix(name, "python") && w.Home != "" && argv.AnyText(args, func(s string) bool {
		return effect.Holds(s, "--user-site getusersitepackages USER_SITE")
	}) {
		return effect.Printed(w.Home + "/.local/lib/python3/site-packages\n")
	}
	return out
}

// interpreterOf is for python3.12.
func interpreterOf(written string) shell.Handler {
	if LanguageOf(argv.Base(written)) != nil {
		return Interpreter
	}
	return nil
}

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
		"chdir": doChdir, "concat": doConcat, "apply": doApply, "copy": doCopy,
		"cwd": always(textValue(".")), "decode": doDecode,
		"delete": doDelete, "deletefirst": then(doDelete, arguments.only),
		"deletetree": doDeleteTree, "denorun": doDenoRun, "dict": doDict, "dump": doDump,
		"source": doSource, "finds": doFinds, "unpickle": doUnpickle,
		"environment": always(refValue("os.environ")), "eval": doEval, "execl": doExecl, "execv": doExecv,
		"expandhome": doExpandHome, "extract": then(doWrite, arguments.after), "fill": doFill, "fork": doFork,
		"format": doFormat, "function": doFunction, "getattr": doGetattr, "getenv": doGetenv, "glob": doGlob, "home": doHome,
		"import": doImport, "interval": doInterval, "join": doJoin, "kill": doKill, "library": doLibrary,
		"list": doList, "load": doLoad, "loadcode": doLoadCode, "loop": doLoop, "map": doMap,
		"mapmethod": doMapMethod, "move": touches(value{}, effect.Delete, effect.Write), "net": doNet, "open": doOpen,
		"opendir": then(touches(value{}, effect.Read), arguments.after),
		"osopen":  doOSOpen, "parsetext": doParseText, "paste": doPaste, "pathglob": doPathGlob,
		"pathjoin": doPathJoin, "perljoin": doPerlJoin, "perlopen": doPerlOpen,
		"perlsysopen": then(touches(value{}, effect.Write), arguments.after), "phpexec": doPHPExec, "popen": doPopen,
		"print": doPrint, "proc": doProc, "pty": doList, "read": doRead, "replace": doReplace, "require": doRequire,
		"routput": doROutput, "rubyopen": doRubyOpen, "rubyread": doRubyRead, "same": doSame,
		"send": doSend, "shell": doShell, "socket": doSocket, "spawn": doSpawn, "spawnmode": doSpawnMode,
		"split": doSplit, "stdin": doStdin, "template": doTemplate, "timer": doTimer,
		"unlinkpath": then(doDelete, arguments.only), "wait": doWait, "write": doWrite,
		"writerest": doWriteRest,
	}
}
