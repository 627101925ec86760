package guard

import "strings"

var javascript = language{
	name: "node", comments: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"'`, backtick: 't', hole: "${", joins: "+", sigils: "$", regexes: true, lines: true, named: ':',
}

func fillNodeCalls() {
	javascript.calls = calls(
		"child_process.exec child_process.execSync shelljs.exec shell.exec execa.command execa.commandSync execaCommand execaCommandSync Bun.$ $ Bun.$.raw", doTemplate,
		"child_process.spawn child_process.spawnSync child_process.execFile child_process.execFileSync execa execa.sync execaSync cross-spawn cross-spawn.sync Deno.Command", doSpawn,
		"Bun.spawn Bun.spawnSync", doList,
		"Deno.run", doDenoRun,
		"child_process.fork cluster.fork", doFork,
		"fs.readFileSync fs.readFile fs.createReadStream fs.readdirSync fs.readdir fs.opendirSync fs.opendir fs.readlinkSync fs.readJsonSync fs.readJson Deno.readTextFile Deno.readTextFileSync Deno.readFile Deno.readFileSync Deno.readDir Deno.readDirSync Bun.file fs.watch fs.readv", doRead,
		"fs.openSync fs.open Deno.open Deno.openSync", doOpen,
		"fs.writeFileSync fs.writeFile fs.appendFileSync fs.appendFile fs.createWriteStream fs.mkdirSync fs.mkdir fs.mkdtempSync fs.truncateSync fs.truncate fs.chmodSync fs.chmod fs.chownSync fs.chown fs.utimesSync fs.outputFileSync fs.outputFile fs.writeJsonSync fs.ensureDirSync fs.ensureFileSync Deno.writeTextFile Deno.writeTextFileSync Deno.writeFile Deno.writeFileSync Deno.mkdir Deno.mkdirSync Deno.chmod Bun.write", doWrite,
		"fs.unlinkSync fs.unlink fs.rmSync fs.rm fs.rmdirSync fs.rmdir fs.removeSync fs.remove fs.emptyDirSync Deno.remove Deno.removeSync rimraf rimraf.sync rimraf.rimrafSync del.sync shelljs.rm", doDeleteFirst,
		"fs.copyFileSync fs.copyFile fs.cpSync fs.cp fs.copySync fs.symlinkSync fs.symlink fs.linkSync fs.link Deno.copyFile Deno.symlink", doCopy,
		"fs.renameSync fs.rename fs.moveSync Deno.rename", doMove,
		"process.chdir Deno.chdir", doChdir,
		"eval vm.runInThisContext vm.runInNewContext vm.runInContext vm.Script", doEval,
		"setTimeout setImmediate", doTimer,
		"Function", doFunction,
		"setInterval", doInterval,
		"process.kill", doKill,
		"net.connect net.createConnection net.Socket tls.connect Deno.connect", doSocket,
		"fetch http.get https.get http.request https.request axios axios.get axios.post axios.put got got.post node-fetch undici.fetch", doNet,
		"atob unescape decodeURIComponent String.fromCharCode String.fromCodePoint zlib.inflateSync zlib.gunzipSync zlib.brotliDecompressSync", doDecode,
		"Buffer.from Buffer", doBuffer,
		"require import process.mainModule.require module.require process.getBuiltinModule module.constructor._load process.binding import.meta.require createRequire()", doRequire,
		"String JSON.parse Array.from Promise.resolve Object.assign", doSame,
		"path.join path.resolve", doPathJoin,
		"os.homedir", doHome,
		"process.cwd Deno.cwd", doCwd,
		"Deno.env.get", doGetenv,
		"Deno.env.toObject", doDump,
		"console.log console.info console.error console.dir console.table JSON.stringify Object.entries Object.values process.stdout.write util.inspect", doPrint,
		"().eval ().exec", doSame,
	)
	// fs.promises and the modules with a prefix are the same functions.
	for name, does := range javascript.calls {
		if rest, ok := strings.CutPrefix(name, "fs."); ok {
			for _, as := range []string{"fs.promises.", "fs/promises.", "fs-extra.", "fse.", "graceful-fs."} {
				javascript.calls[as+rest] = does
			}
		}
	}
}

// scriptImport is import x, {a as b} from 'm' and import * as x from 'm'.
func (s *script) scriptImport() bool {
	end := s.i + 1
	for end < len(s.toks) && s.toks[end].kind != tokString && s.toks[end].kind != tokEnd {
		end++
	}
	if end >= len(s.toks) || s.toks[end].kind != tokString || s.toks[end-1].text != "from" {
		return false
	}
	names := s.toks[s.i+1 : end-1]
	module := doRequire(s, "import", arguments{list: []value{s.interpolate(s.toks[end])}})
	s.i = end + 1
	inside := false
	for i, t := range names {
		switch {
		case t.text == "{":
			inside = true
		case t.text == "}":
			inside = false
		case t.kind != tokName || t.text == "as":
		case i+2 < len(names) && names[i+1].text == "as": // the name after it counts
		case i > 1 && names[i-1].text == "as" && inside:
			s.names[t.text] = module.member(names[i-2].text)
		case inside:
			s.names[t.text] = module.member(t.text)
		default:
			s.names[t.text] = module
		}
	}
	return true
}

// doTemplate is exec(text), and $`text` of bun and zx.
func doTemplate(s *script, name string, a arguments) value {
	if a.at(0).kind == isRef || len(a.list) == 0 {
		return value{}
	}
	return s.shell(name, a.at(0))
}

func doDenoRun(s *script, name string, a arguments) value {
	if cmd := a.option("cmd"); cmd.kind == isList {
		s.exec(name, cmd.list)
	}
	return value{}
}

func doDeleteFirst(s *script, name string, a arguments) value {
	if len(a.list) > 1 {
		a.list = a.list[:1]
	}
	return doDelete(s, name, a)
}

// doRequire loads a module: a built-in by name, or a file by path.
func doRequire(s *script, name string, a arguments) value {
	v := a.at(0)
	if !v.known() || v.hidden {
		if v.hidden {
			return value{kind: isRef, ref: unknown, hidden: true}
		}
		return value{}
	}
	if strings.HasPrefix(v.text, "/") || strings.HasPrefix(v.text, ".") {
		s.path(kindRead, v)
		return value{file: true}
	}
	return refValue(strings.TrimPrefix(v.text, "node:"))
}

// doBuffer decodes when it is told an encoding.
func doBuffer(s *script, name string, a arguments) value {
	if e := a.at(1).string(); e == "base64" || e == "hex" || e == "base64url" || a.at(0).kind == isList {
		return doDecode(s, name, a)
	}
	return doSame(s, name, a)
}

func doInterval(s *script, name string, a arguments) value {
	s.loops++
	return doTimer(s, name, a)
}

// doTimer runs a function, or text.
func doTimer(s *script, name string, a arguments) value {
	if a.at(0).kind != isText {
		return value{}
	}
	return doEval(s, name, a)
}
