package guard

import "strings"

var ruby = language{
	name: "ruby", comments: []string{"#"}, quotes: `"'`, raw: "'", backtick: 'c', hole: "#{", joins: "+", sigils: "$@", quoting: "ruby", regexes: true, lines: true, bare: true, named: ':',
}

func fillRubyCalls() {
	ruby.calls = calls(
		"system sh exec spawn Process.spawn Process.exec Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen2 Open3.popen2e Open3.popen3 Open3.pipeline", doArgv,
		"IO.popen PTY.spawn PTY.getpty", doPopen,
		"Shellwords.escape shellescape", doSame,
		"open File.open File.new IO.open URI.open File.write", doRubyOpen,
		"File.read File.readlines File.foreach File.binread IO.read IO.readlines IO.foreach IO.binread Dir.entries Dir.children Dir.each_child Dir.foreach YAML.load_file JSON.load_file CSV.read CSV.foreach File.readlink Pathname.read", doRubyRead,
		"IO.write File.binwrite IO.binwrite Dir.mkdir File.truncate FileUtils.mkdir FileUtils.mkdir_p FileUtils.touch FileUtils.chmod_R", doWrite,
		"File.chmod FileUtils.chmod", func(s *script, n string, a arguments) value {
			for _, v := range a.list[min(1, len(a.list)):] {
				s.path(kindWrite, v)
			}
			return value{}
		},
		"File.delete File.unlink Dir.rmdir Dir.delete Dir.unlink FileUtils.rm FileUtils.rm_f FileUtils.remove FileUtils.safe_unlink FileUtils.remove_file FileUtils.rmdir", doDelete,
		"FileUtils.rm_rf FileUtils.rm_r FileUtils.rmtree FileUtils.remove_dir FileUtils.remove_entry FileUtils.remove_entry_secure", doDeleteTree,
		"File.rename FileUtils.mv FileUtils.move", doMove,
		"FileUtils.cp FileUtils.cp_r FileUtils.copy FileUtils.copy_file FileUtils.ln_s FileUtils.ln FileUtils.install File.symlink File.link", doCopy,
		"Dir.chdir FileUtils.cd", doChdir,
		"Dir.glob Dir.[]", doGlob,
		"eval instance_eval class_eval module_eval binding.eval RubyVM.InstructionSequence.compile", doEval,
		"send __send__ public_send method", doSend,
		"load require require_relative", doLoad,
		"fork Process.fork", doFork,
		"Process.wait Process.waitpid Process.waitall Process.detach", doWait,
		"loop", doLoop,
		"Process.kill", doKill,
		"TCPSocket.new TCPSocket.open Socket.tcp UNIXSocket.new", doSocket,
		"Net.HTTP.get Net.HTTP.get_response Net.HTTP.start URI.parse.open HTTParty.get Faraday.get", doNet,
		"Base64.decode64 Base64.strict_decode64 Base64.urlsafe_decode64 Zlib.Inflate.inflate Zlib.inflate Marshal.load", doDecode,
		"puts print p pp warn ENV.to_h.inspect", doPrint,
		"ENV.each ENV.each_pair ENV.map ENV.inspect ENV.to_a ENV.to_h ENV.values", doDump,
		"ENV.fetch", doGetenv,
		"File.join", doPathJoin,
		"File.expand_path File.absolute_path File.realpath", doExpandHome,
		"Dir.home", doHome,
		"Dir.pwd Dir.getwd", doCwd,
		"STDIN.read $stdin.read gets ARGF.read", doStdin,
		"Pathname Pathname.new String Array URI", doSame,
		".read", doRubyRead,
		".delete .unlink .rmtree", func(s *script, n string, a arguments) value {
			if n == "rmtree" {
				return doDeleteTree(s, n, a)
			}
			return opaque(a.list...)
		},
	)
}

// doRubyOpen is open("|cmd"), open(url) and a file with a mode.
func doRubyOpen(s *script, name string, a arguments) value {
	if cmd, ok := strings.CutPrefix(a.at(0).string(), "|"); ok && name == "open" {
		return s.shell(name, textValue(cmd))
	}
	if name == "File.write" {
		s.path(kindWrite, a.at(0))
		return value{}
	}
	return doOpen(s, name, a)
}

func doRubyRead(s *script, name string, a arguments) value {
	if cmd, ok := strings.CutPrefix(a.at(0).string(), "|"); ok {
		return s.shell(name, textValue(cmd))
	}
	if name == "read" && a.at(0).kind != isText {
		return a.at(0)
	}
	if name == "read" && a.at(0).kind == isText && strings.ContainsAny(a.at(0).text, " \n") {
		return a.at(0)
	}
	return doRead(s, name, a)
}

func doPopen(s *script, name string, a arguments) value {
	v := a.at(0)
	if v.fields != nil { // an environment
		v = a.at(1)
	}
	if v.kind == isList {
		s.exec(name, v.list)
		return value{}
	}
	if len(a.list) > 1 && strings.HasPrefix(name, "PTY") {
		s.exec(name, a.list)
		return value{}
	}
	return s.shell(name, v)
}

// doSend calls a method by its name.
func doSend(s *script, name string, a arguments) value {
	method := a.at(0)
	switch {
	case method.hidden || method.kind == isUnknown && name != "method":
		s.hide(name, method)
		return value{}
	case !method.known():
		return value{}
	case name == "method":
		return refValue(method.text)
	}
	return s.invoke(s.constant(method.text), arguments{list: a.list[1:]})
}
