package guard

var lua = language{
	name: "lua", comments: []string{"--"}, block: [2]string{"--[[", "]]"}, quotes: `"'`, joins: "..", long: true,
}

var rLang = language{
	name: "r", comments: []string{"#"}, quotes: `"'`, lines: true, named: '=',
}

var julia = language{
	name: "julia", comments: []string{"#"}, block: [2]string{"#=", "=#"}, quotes: `"`, backtick: 'c', joins: "*", lines: true, named: '=',
}

// AppleScript's verb is four words; see appleTokens.
var appleScript = language{
	name: "osascript", comments: []string{"--"}, block: [2]string{"(*", "*)"}, quotes: `"`, joins: "&", lines: true, bare: true,
}

var tcl = language{name: "tcl", comments: []string{"#"}, lines: true, bare: true}

func fillOtherCalls() {
	lua.calls = calls(
		"os.execute io.popen vim.fn.system", doShell,
		"io.open", doOpen,
		"io.lines io.input dofile loadfile", doRead,
		"io.output", doWrite,
		"os.remove", doDelete,
		"os.rename", doMove,
		"load loadstring", doEval,
		"package.loadlib require", doLoad,
		"string.char string.reverse", doDecode,
		"os.getenv", doGetenv,
		"socket.tcp socket.connect", doSocket,
		"posix.unistd.fork posix.fork", doFork,
		"tostring", doSame,
	)
	rLang.calls = calls(
		"system shell pipe base.system", doShell,
		"system2", doSpawn,
		"file readLines read.csv read.table readRDS scan readr.read_csv list.files load", doRead,
		"write.csv write.table saveRDS writeLines cat dir.create sink pdf png", doROutput,
		"unlink", doDeleteTree,
		"file.remove", doDelete,
		"file.rename", doMove,
		"file.copy file.symlink", doCopy,
		"source", doLoadCode,
		"eval", doEval,
		"parse", func(_ *script, _ string, a arguments) value { return a.option("text") },
		"setwd", doChdir,
		"download.file url", doNet,
		"Sys.getenv", doGetenv,
		"paste paste0", func(_ *script, n string, a arguments) value {
			out := textValue("")
			for i, v := range a.list {
				if i > 0 && n == "paste" {
					out = join(out, textValue(" "))
				}
				out = join(out, v)
			}
			return out
		},
	)
	julia.calls = calls(
		"read readlines open eachline readdir include", doOpen,
		"write mkpath mkdir touch", doWrite,
		"rm", doDeleteTree,
		"cp", doCopy,
		"mv", doMove,
		"cd", doChdir,
		"eval Meta.parse include_string", doEval,
		"joinpath", doPathJoin,
		"homedir", doHome,
		"download Downloads.download", doNet,
		"base64decode", doDecode,
		"ccall", doShell,
	)
	appleScript.calls = calls("doshellscript", doShell, "doscript", doShell)
	tcl.calls = map[string]call{}
}

// doROutput is R's writers: the file is named, or the second argument.
func doROutput(s *script, name string, a arguments) value {
	switch {
	case name == "dir.create" || name == "sink" || name == "pdf" || name == "png":
		s.path(kindWrite, a.at(0))
	case name == "cat":
		if f, ok := a.named["file"]; ok {
			s.path(kindWrite, f)
		}
	default:
		f := a.at(1)
		for _, key := range []string{"file", "con"} {
			if v, ok := a.named[key]; ok {
				f = v
			}
		}
		if f.kind == isText {
			s.path(kindWrite, f)
		}
	}
	return value{}
}
