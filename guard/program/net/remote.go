package net

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

var sshSpec = argv.New(":::", `-b: -c: -D: -E: -e: -F: -I: -i: -J: -L: -l: -m: -O: -o: -p: -P: -Q: -R: -S: -W: -w: -B:
	-M:`)

// ssh runs a command elsewhere. Of that only what destroys a machine is judged; what is
// fed to it leaves this one.
func ssh(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	opts, _ := sshSpec.Options(args[1:])
	_, rest := sshSpec.Leading(args[1:])
	if len(rest) == 0 {
		return effect.Passed(in, "ssh")
	}
	host, command := rest[0], rest[1:]
	if len(command) > 0 && command[0].Text == "--" {
		command = command[1:]
	}
	more, _ := sshSpec.Leading(command)
	if len(more) > 0 { // `ssh host -p 22 ls`
		_, command = sshSpec.Leading(command)
	}
	switch {
	case argv.Any(opts, "-R", "-D", "-w"), slices.ContainsFunc(opts, forwards):
		run.Send(w, host, "ssh", afterAt(host.Text), effect.OpensTunnel, nil)
	case len(command) == 0 && in.Open && !strings.Contains(in.Text, effect.Unknown):
		command = []effect.Arg{{Text: in.Text, Index: host.Index, Span: host.Span}} // a here-document
	case cargo(in) != "" && !argv.Any(opts, "-T", "-N", "-G", "-V"):
		run.Send(w, host, "ssh", afterAt(host.Text), cargo(in), in.From)
	}
	if len(command) > 0 {
		run.Elsewhere(w, st, "ssh", effect.Joined(command))
	}
	return effect.Passed(in, "ssh")
}

// forwards is -R and -D in the long way: -o RemoteForward=….
func forwards(o argv.Option) bool {
	value := strings.ToLower(o.Value.Text)
	return o.Name == "-o" && (strings.HasPrefix(value, "remoteforward") || strings.HasPrefix(value, "dynamicforward"))
}

func afterAt(s string) string { return s[strings.LastIndexByte(s, '@')+1:] }

var transferSpecs = sync.OnceValue(func() map[string]*argv.Spec {
	return map[string]*argv.Spec{
		"scp": argv.New(":::", "-c: -D: -F: -i: -J: -l: -o: -P: -S: -X:"),
		"rsync": argv.New(":::", `-e: --rsh: --exclude: --include: --exclude-from: --include-from: --files-from: --filter:
			-f: --bwlimit: --port: --log-file: --backup-dir: --partial-dir: --chmod: --chown: --out-format: --timeout:
			--rsync-path: --password-file: -T: --temp-dir: -M: --info: --debug: --max-size: --min-size: --compare-dest:
			--link-dest:`),
	}
})

// transfer is scp and rsync. The last operand says which way it goes.
func transfer(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	opts, list := transferSpecs()[name].Options(args[1:])
	n := len(list) - 1
	if n < 1 || !Away(list[n].Text) {
		var local []effect.Arg
		for i, a := range args[1:] {
			if !Away(a.Text) || strings.HasPrefix(a.Text, "-") || i == 0 && len(args) == 2 {
				local = append(local, a)
			}
		}
		if n >= 1 && len(local) > 0 && Away(list[0].Text) {
			w.Path(st, effect.Write, list[n])
			return effect.Passed(in, name)
		}
		run.Operands(w, st, name, local)
		return effect.Passed(in, name)
	}
	sends := effect.SendsFile
	if name == "rsync" && argv.Any(opts, "-n", "--dry-run") {
		sends = ""
	}
	for _, a := range list[:n] {
		if Away(a.Text) {
			continue
		}
		w.Path(st, effect.Read, a)
		if p := w.Locate(st, a.Text); slices.Contains(w.Facts.Folders(), strings.TrimSuffix(p.Path, "/")) && sends != "" {
			sends = effect.SendsProject
		}
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(list[n].Text, "rsync://"), ":")
	run.Send(w, list[n], name, afterAt(host), sends, nil)
	return effect.Passed(in, name)
}

// Away reports host:path and rsync://host/path.
func Away(s string) bool {
	host, _, ok := strings.Cut(s, ":")
	return ok && host != "" && !strings.Contains(host, "/") && (len(host) > 1 || host[0] >= 'a')
}

// upload is the interactive file transfers, which take their orders from
// standard input.
func upload(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	_, operands := sshSpec.Options(args[1:])
	if len(operands) > 0 {
		host, _, _ := strings.Cut(afterAt(operands[0].Text), ":")
		run.Send(w, operands[0], name, cmp.Or(place.HostOf(host), host), effect.SendsFile, nil)
	}
	return effect.Passed(in, name)
}
