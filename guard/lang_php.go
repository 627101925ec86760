package guard

import "strings"

var php = language{
	name: "php", comments: []string{"#", "//"}, block: [2]string{"/*", "*/"}, quotes: `"'`, raw: "'", backtick: 'c', hole: "$", joins: ".", sigils: "$", bare: true,
}

func fillPHPCalls() {
	php.calls = calls(
		"system exec shell_exec passthru popen pcntl_exec expect_popen", doPHPExec,
		"proc_open", doPopen,
		"eval assert create_function", doFunction,
		"include include_once require require_once", doLoadCode,
		"file_get_contents file readfile show_source highlight_file php_strip_whitespace parse_ini_file scandir opendir dir finfo_file simplexml_load_file", doRead,
		"fopen SplFileObject", doOpen,
		"file_put_contents mkdir chmod chown chgrp touch tempnam", doWrite,
		"unlink rmdir", doDelete,
		"copy symlink link", doCopy,
		"rename", doMove,
		"chdir", doChdir,
		"glob", doGlob,
		"call_user_func array_map usort", doCallback,
		"call_user_func_array", doCallback,
		"pcntl_fork", doFork,
		"posix_kill", doKill,
		"fsockopen pfsockopen stream_socket_client socket_create", doSocket,
		"curl_exec", doNet,
		"base64_decode str_rot13 gzinflate gzuncompress gzdecode hex2bin convert_uudecode strrev chr pack", doDecode,
		"print_r var_dump var_export json_encode print implode", doPrint,
		"phpinfo", doDump,
		"getenv", doGetenv,
		"getcwd", doCwd,
		"trim strval urldecode", doSame,
	)
}

func doPHPExec(s *script, name string, a arguments) value {
	if name == "pcntl_exec" {
		list := []value{a.at(0)}
		s.exec(name, append(list, a.at(1).list...))
		return value{}
	}
	return s.shell(name, a.at(0))
}

// doLoadCode runs a file, or what a server sends.
func doLoadCode(s *script, name string, a arguments) value {
	v := a.at(0)
	if strings.Contains(v.string(), "://") {
		return s.eval(name, s.download())
	}
	s.path(kindRead, v)
	return value{}
}

// doCallback calls a function by its name.
func doCallback(s *script, name string, a arguments) value {
	f := a.at(0)
	if f.hidden {
		s.hide(name, f)
		return value{}
	}
	if _, ok := s.l.calls[f.string()]; !ok || !f.known() {
		return opaque(a.list...)
	}
	rest := a.list[1:]
	if len(rest) == 1 && rest[0].kind == isList {
		rest = rest[0].list
	}
	return s.invoke(refValue(f.text), arguments{list: rest})
}
