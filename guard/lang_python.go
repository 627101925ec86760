package guard

import "strings"

var python = language{
	name: "python", comments: []string{"#"}, quotes: `"'`, hole: "{", joins: "+", lines: true, named: '=',
}

func fillPythonCalls() {
	python.calls = calls(
		"os.system os.popen os.popen2 os.popen3 subprocess.getoutput subprocess.getstatusoutput commands.getoutput commands.getstatusoutput asyncio.create_subprocess_shell posix.system posix.popen nt.system platform.popen os.startfile ctypes.CDLL.system pexpect.run get_ipython.system ()system", doShell,
		"subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen pexpect.spawn", doProc,
		"asyncio.create_subprocess_exec sh.Command", doList,
		"os.execv os.execve os.execvp os.execvpe posix.execv posix.execve os.posix_spawn os.posix_spawnp", doExecv,
		"os.execl os.execle os.execlp os.execlpe", doExecl,
		"os.spawnv os.spawnve os.spawnvp os.spawnvpe os.spawnl os.spawnle os.spawnlp os.spawnlpe", doSpawnMode,
		"pty.spawn", doPty,
		"open io.open codecs.open gzip.open bz2.open lzma.open os.fdopen tarfile.open zipfile.ZipFile io.FileIO", doOpen,
		"os.open", doOSOpen,
		"os.listdir os.scandir os.walk os.readlink linecache.getlines fileinput.input numpy.loadtxt np.loadtxt pandas.read_csv pd.read_csv runpy.run_path execfile mmap.mmap", doRead,
		"glob.glob glob.iglob", doGlob,
		"os.remove os.unlink os.rmdir os.removedirs", doDelete,
		"shutil.rmtree", doDeleteTree,
		"os.rename os.replace os.renames shutil.move", doMove,
		"shutil.copy shutil.copy2 shutil.copyfile shutil.copytree os.link os.symlink", doCopy,
		"os.chmod os.chown os.mkdir os.makedirs os.mkfifo os.mknod os.truncate os.utime shutil.chown shutil.make_archive sqlite3.connect os.lchown", doWrite,
		"shutil.unpack_archive", doCopy,
		"os.chdir", doChdir,
		"eval exec code.interact builtins.exec", doEval,
		"compile", doSame,
		"os.kill os.killpg", doKill,
		"os.wait os.waitpid os.wait3 os.wait4 os.waitid", doWait,
		"os.fork os.forkpty pty.fork multiprocessing.Process", doFork,
		"socket.socket socket.create_connection", doSocket,
		"urllib.request.urlopen urllib.urlopen urllib2.urlopen requests.get requests.post requests.put requests.patch requests.request requests.Session httpx.get httpx.post httpx.put urllib.request.urlretrieve http.client.HTTPSConnection http.client.HTTPConnection", doNet,
		"urllib.request.Request", doSame,
		"base64.b64decode base64.b32decode base64.b16decode base64.b85decode base64.a85decode base64.urlsafe_b64decode base64.decodebytes bytes.fromhex bytearray.fromhex codecs.decode codecs.getdecoder binascii.unhexlify binascii.a2b_hex binascii.a2b_base64 zlib.decompress gzip.decompress bz2.decompress lzma.decompress marshal.loads pickle.loads chr bytes bytearray reversed", doDecode,
		"str repr memoryview list tuple sorted iter next io.StringIO io.BytesIO filter set types.CodeType pathlib.PurePath", doSame,
		"map", doMap,
		"dict", doDict,
		"Path pathlib.Path pathlib.PosixPath", doPathJoin,
		"os.path.join", doPathJoin,
		"os.path.expanduser os.path.abspath os.path.realpath os.path.normpath os.path.expandvars os.fspath", doExpandHome,
		"Path.home pathlib.Path.home", doHome,
		"os.getcwd Path.cwd pathlib.Path.cwd", doCwd,
		"os.getenv os.environ.get os.environ.pop os.environ.setdefault", doGetenv,
		"os.environ.items os.environ.values", doDump,
		"os.environ.copy", func(*script, string, arguments) value { return refValue("os.environ") },
		"print pprint.pprint pprint json.dumps sys.stdout.write", doPrint,
		"__import__ importlib.import_module importlib.__import__", doImport,
		"getattr", doGetattr,
		"vars", doSame,
		"globals locals", func(*script, string, arguments) value { return refValue("builtins") },
		"ctypes.CDLL ctypes.PyDLL ctypes.cdll.LoadLibrary cdll.LoadLibrary CDLL", doLibrary,
		"sys.stdin.read sys.stdin.readline sys.stdin.buffer.read input raw_input", doStdin,
		".read_text .read_bytes .iterdir .rglob", doRead,
		".glob", doPathGlob,
		".write_text .write_bytes .touch .mkdir .chmod .symlink_to", doWrite,
		".unlink .rmdir", func(s *script, n string, a arguments) value {
			if len(a.list) > 0 {
				a.list = a.list[:1]
			}
			return doDelete(s, n, a)
		},
		".rename .replace", doReplace,
		".open", doOpen,
		".joinpath", doPathJoin,
		".expanduser", doExpandHome,
		".absolute .resolve .as_posix .with_suffix", doSame,
		".extractall", func(s *script, n string, a arguments) value {
			return doWrite(s, n, arguments{list: a.list[min(1, len(a.list)):]})
		},
	)
}

// pythonImport is import a.b as c and from a import b as c.
func (s *script) pythonImport() {
	from := s.word("from")
	s.i++
	module := s.dottedName()
	if !from {
		s.bind(module)
		for s.accept(",") {
			s.bind(s.dottedName())
		}
		return
	}
	if !s.word("import") {
		return
	}
	s.i++
	open := s.accept("(")
	for s.i < len(s.toks) {
		if s.accept("*") {
			s.star(module)
			return
		}
		if open && s.peek().kind == tokEnd {
			s.i++
			continue
		}
		name := s.dottedName()
		if name == "" {
			return
		}
		s.bindAs(name, module+"."+name)
		if !s.accept(",") {
			return
		}
	}
}

// star is from os import *: the functions of the module we know by name.
func (s *script) star(module string) {
	for name := range s.l.calls {
		if rest, ok := strings.CutPrefix(name, module+"."); ok && !strings.Contains(rest, ".") && rest != "open" {
			s.names[rest] = refValue(name)
		}
	}
}

func (s *script) dottedName() string {
	name := ""
	for s.peek().kind == tokName || s.sign(".") {
		if s.word("import") || s.word("as") {
			break
		}
		name += s.peek().text
		s.i++
	}
	return name
}

// bind is import a.b: the name a; import a.b as c: the name c.
func (s *script) bind(module string) {
	first, _, _ := strings.Cut(module, ".")
	if s.word("as") {
		first = module
	}
	s.bindAs(first, first)
}

func (s *script) bindAs(local, full string) {
	if s.word("as") {
		s.i++
		local = s.peek().text
		s.i++
	}
	s.names[local] = refValue(full)
}

func doImport(s *script, _ string, a arguments) value {
	v := a.at(0)
	if !v.known() || v.hidden {
		return value{kind: isRef, ref: unknown, hidden: true}
	}
	return s.constant(v.text)
}

func doGetattr(s *script, _ string, a arguments) value {
	object, name := a.at(0), a.at(1)
	switch {
	case object.kind != isRef:
		return opaque(a.list...)
	case !name.known():
		if name.hidden || name.kind == isText {
			return value{kind: isRef, ref: object.ref + "." + unknown, hidden: true}
		}
		return opaque(a.list...)
	}
	return s.constant(object.ref + "." + name.text)
}

// doLibrary is ctypes: the C library has a system of its own.
func doLibrary(s *script, n string, a arguments) value {
	doLoad(s, n, a)
	return refValue("ctypes.CDLL")
}

// doPty gives a program a terminal of its own; a shell there is a way out.
func doPty(s *script, name string, a arguments) value {
	doList(s, name, a)
	return value{}
}

func doOSOpen(s *script, _ string, a arguments) value {
	mode := value{}
	if flags := a.at(1); flags.kind != isRef || flags.ref != "os.O_RDONLY" {
		mode = textValue("w")
	}
	return s.opened(a.at(0), mode)
}

// doMap keeps what a function such as chr does to every item.
func doMap(s *script, _ string, a arguments) value {
	v := opaque(a.list...)
	f := a.at(0)
	if f.kind == isRef && (f.ref == "chr" || f.ref == "int") {
		v.hidden = f.ref == "chr"
		return v
	}
	if _, ok := s.l.calls[f.ref]; ok && f.kind == isRef {
		return s.invoke(f, arguments{list: a.list[1:]})
	}
	return v
}

func doDict(_ *script, _ string, a arguments) value {
	if len(a.list) == 1 {
		return a.list[0]
	}
	return value{}
}

func doPathGlob(s *script, _ string, a arguments) value {
	s.path(kindRead, a.at(0))
	return textValue(strings.TrimSuffix(a.at(0).string(), "/") + "/" + a.at(1).string())
}

// doReplace is a string's replace, or a path's.
func doReplace(_ *script, _ string, a arguments) value {
	if v, from, to := a.at(0), a.at(1), a.at(2); v.known() && from.known() && to.known() && from.text != "" && len(v.text) < maxValue && len(to.text) < 64 {
		return textValue(strings.ReplaceAll(v.text, from.text, to.text)).stain(v)
	}
	return opaque(a.list...)
}
