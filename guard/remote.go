package guard

import (
	"slices"
	"strings"
	"sync"
)

var sshSpec = newSpec(":::", "-b: -c: -D: -E: -e: -F: -I: -i: -J: -L: -l: -m: -O: -o: -p: -P: -Q: -R: -S: -W: -w: -B: -M:")

// ssh runs a command elsewhere. What it does there is judged only for what no
// machine survives; what is fed to it leaves this one.
func ssh(w *walker, st *state, args []arg, in stream) stream {
	opts, _ := sshSpec.options(args[1:])
	_, rest := sshSpec.leading(args[1:])
	if len(rest) == 0 {
		return passed(in, "ssh")
	}
	host, command := rest[0], rest[1:]
	if len(command) > 0 && command[0].text == "--" {
		command = command[1:]
	}
	more, _ := sshSpec.leading(command)
	if len(more) > 0 { // `ssh host -p 22 ls`
		_, command = sshSpec.leading(command)
	}
	switch {
	case anyOption(opts, "-R", "-D", "-w"), slices.ContainsFunc(opts, forwards):
		w.send(host, "ssh", afterAt(host.text), opensTunnel, nil)
	case len(command) == 0 && in.open && !strings.Contains(in.text, unknown):
		command = []arg{{text: in.text, index: host.index, span: host.span}} // a here-document
	case cargo(in) != "" && !anyOption(opts, "-T", "-N", "-G", "-V"):
		w.send(host, "ssh", afterAt(host.text), cargo(in), in.from)
	}
	if len(command) > 0 {
		w.elsewhere(st, "ssh", joined(command))
	}
	return passed(in, "ssh")
}

// forwards is -R and -D in the long way: -o RemoteForward=….
func forwards(o option) bool {
	value := strings.ToLower(o.value.text)
	return o.name == "-o" && (strings.HasPrefix(value, "remoteforward") || strings.HasPrefix(value, "dynamicforward"))
}

func afterAt(s string) string { return s[strings.LastIndexByte(s, '@')+1:] }

// elsewhere judges a command for another machine, of which only its credentials,
// its end and changes to it count: its files are not ours to know.
func (w *walker) elsewhere(st *state, construct string, code arg) {
	if w.deadly(st, construct, code) {
		w.emitAt(code, effect{kind: kindNet, name: construct, text: construct + " " + firstLine(code.text), sends: changesThere})
	}
}

// deadly judges a command only for what matters wherever it happens. It reports
// whether the command changes the machine it runs on.
func (w *walker) deadly(st *state, construct string, code arg) (changes bool) {
	before := len(w.effects)
	w.code(st.clone(), construct, code, w.lang, stream{})
	made := slices.Clone(w.effects[before:])
	w.effects = w.effects[:before]
	for _, e := range made {
		switch {
		case w.survives(&e):
			w.effects = append(w.effects, e)
		case w.changesMachine(&e):
			changes = true
		}
	}
	return changes
}

// survives reports an effect that matters wherever it happens, and makes it
// speak for the other machine.
func (w *walker) survives(e *effect) bool {
	switch e.kind {
	case kindExec:
		e.inside = true
		return powersOff(w, e) || formats(w, e) || killsAll(w, e) || destroysVolume(w, e)
	case kindDelete:
		e.inside = false
		return !e.unknown && w.vital(e.path)
	case kindWrite:
		return blockDevice(e.path)
	case kindRead:
		e.inside = true
		return !e.discreet && e.secret()
	case kindProblem:
		return true
	}
	return e.kind == kindBomb
}

// changesMachine reports what would be asked about here too.
func (w *walker) changesMachine(e *effect) bool {
	switch e.kind {
	case kindExec:
		return changesServices(w, e) || changesPackages(w, e) || asRoot(w, e) || deploys(w, e) || destroysData(w, e) || wipes(w, e) || killsByName(w, e) || discards(w, e) || schedules(w, e) || accounts(w, e) || kernel(w, e)
	case kindDelete:
		return e.recursive
	}
	return e.kind == kindData
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

var transferSpecs = sync.OnceValue(func() map[string]*spec {
	return map[string]*spec{
		"scp":   newSpec(":::", "-c: -D: -F: -i: -J: -l: -o: -P: -S: -X:"),
		"rsync": newSpec(":::", "-e: --rsh: --exclude: --include: --exclude-from: --include-from: --files-from: --filter: -f: --bwlimit: --port: --log-file: --backup-dir: --partial-dir: --chmod: --chown: --out-format: --timeout: --rsync-path: --password-file: -T: --temp-dir: -M: --info: --debug: --max-size: --min-size: --compare-dest: --link-dest:"),
	}
})

// transfer is scp and rsync. The last operand says which way it goes.
func transfer(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	opts, operands := transferSpecs()[name].options(args[1:])
	n := len(operands) - 1
	if n < 1 || !away(operands[n].text) {
		var local []arg
		for i, a := range args[1:] {
			if !away(a.text) || strings.HasPrefix(a.text, "-") || i == 0 && len(args) == 2 {
				local = append(local, a)
			}
		}
		if n >= 1 && len(local) > 0 && away(operands[0].text) {
			w.path(st, kindWrite, operands[n])
			return passed(in, name)
		}
		w.operands(st, name, local)
		return passed(in, name)
	}
	sends := sendsFile
	if name == "rsync" && anyOption(opts, "-n", "--dry-run") {
		sends = ""
	}
	for _, a := range operands[:n] {
		if away(a.text) {
			continue
		}
		w.path(st, kindRead, a)
		if p := w.locate(st, a.text); slices.Contains(w.facts.Folders(), strings.TrimSuffix(p.path, "/")) && sends != "" {
			sends = sendsProject
		}
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(operands[n].text, "rsync://"), ":")
	w.send(operands[n], name, afterAt(host), sends, nil)
	return passed(in, name)
}

// away reports host:path and rsync://host/path.
func away(s string) bool {
	host, _, ok := strings.Cut(s, ":")
	return ok && host != "" && !strings.Contains(host, "/") && (len(host) > 1 || host[0] >= 'a')
}

// upload is the interactive file transfers, which take their orders from
// standard input.
func upload(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	_, operands := sshSpec.options(args[1:])
	if len(operands) > 0 {
		host, _, _ := strings.Cut(afterAt(operands[0].text), ":")
		w.send(operands[0], name, orElse(hostOf(host), host), sendsFile, nil)
	}
	return passed(in, name)
}
