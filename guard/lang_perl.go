package guard

import "strings"

var perl = language{
	name: "perl", comments: []string{"#"}, quotes: `"'`, raw: "'", backtick: 'c', hole: "$", joins: ".", sigils: "$@%", quoting: "perl", regexes: true, bare: true, braces: true,
}

func fillPerlCalls() {
	perl.calls = calls(
		"system exec IPC.System.Simple.system capture", doArgv,
		"readpipe", doShell,
		"open", doPerlOpen,
		"sysopen", doPerlSysopen,
		"unlink rmdir", doDelete,
		"rmtree remove_tree File.Path.rmtree File.Path.remove_tree", doDeleteTree,
		"rename move File.Copy.move", doMove,
		"copy link symlink File.Copy.copy", doCopy,
		"mkdir make_path mkpath truncate", doWrite,
		"chmod chown utime", func(s *script, n string, a arguments) value {
			for _, v := range a.list[min(1, len(a.list)):] {
				s.path(kindWrite, v)
			}
			return value{}
		},
		"opendir", func(s *script, n string, a arguments) value { s.path(kindRead, a.at(1)); return value{} },
		"require do", doLoad,
		"glob", doGlob,
		"chdir", doChdir,
		"eval", doEval,
		"fork", doFork,
		"wait waitpid", doWait,
		"kill", doKill,
		"socket IO.Socket.INET.new IO.Socket.IP.new IO.Socket.SSL.new", doSocket,
		"get getstore LWP.Simple.get LWP.UserAgent.new HTTP.Tiny.new", doNet,
		"decode_base64 MIME.Base64.decode_base64 pack unpack chr reverse unpack_base64 uncompress", doDecode,
		"print printf say warn die Dumper Data.Dumper.Dumper keys values each", doPrint,
		"join", func(s *script, n string, a arguments) value {
			list := a.list[min(1, len(a.list)):]
			if len(list) == 1 && list[0].kind == isList {
				list = list[0].list
			}
			return doJoin(s, n, arguments{list: []value{a.at(0), listValue(list)}})
		},
		"getcwd cwd", doCwd,
	)
}

// doPerlOpen is open(F, "cmd|"), open(F, "|cmd"), open(F, "-|", cmd…), open(F, mode, file).
func doPerlOpen(s *script, name string, a arguments) value {
	mode, rest := strings.TrimSpace(a.at(1).string()), a.list[min(2, len(a.list)):]
	switch {
	case mode == "-|" || mode == "|-":
		if len(rest) == 1 {
			return s.shell(name, rest[0])
		}
		s.exec(name, rest)
	case len(rest) > 0:
		return s.opened(rest[0], a.at(1))
	case strings.HasPrefix(mode, "|") || strings.HasSuffix(mode, "|"):
		return s.shell(name, textValue(strings.Trim(mode, "| ")))
	case strings.HasPrefix(mode, ">") || strings.HasPrefix(mode, "+"):
		s.path(kindWrite, textValue(strings.TrimLeft(mode, "+>< ")))
	default:
		s.path(kindRead, textValue(strings.TrimLeft(mode, "< ")))
	}
	return value{file: true}
}

func doPerlSysopen(s *script, _ string, a arguments) value {
	s.path(kindWrite, a.at(1))
	return value{}
}
