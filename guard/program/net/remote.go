package net

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// ssh runs a command elsewhere. Of that only what destroys a machine is judged; what is
// fed to it leaves this one.
func ssh(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	opts, _ := program.Options("ssh").Options(args[1:])
	_, rest := program.Options("ssh").Leading(args[1:])
	if len(rest) == 0 {
		return effect.Passed(in, "ssh")
	}
	host, command := rest[0], rest[1:]
	if len(command) > 0 && command[0].Text == "--" {
		command = command[1:]
	}
	more, _ := program.Options("ssh").Leading(command)
	if len(more) > 0 { // `ssh host -p 22 ls`
		_, command = program.Options("ssh").Leading(command)
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
		run.Elsewhere(w, st, "ssh", effect.Joined(command), in)
	}
	return effect.Passed(in, "ssh")
}

// forwards is -R and -D in the long way: -o RemoteForward=….
func forwards(o argv.Option) bool {
	value := strings.ToLower(o.Value.Text)
	return o.Name == "-o" && (strings.HasPrefix(value, "remoteforward") || strings.HasPrefix(value, "dynamicforward"))
}

func afterAt(s string) string { return s[strings.LastIndexByte(s, '@')+1:] }

// transfer is scp and rsync. The last operand says which way it goes.
func transfer(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	opts, list := program.MustSpec(name).Options(args[1:])
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

// podCopy is kubectl cp: the side without namespace/pod: is of this machine.
func podCopy(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) {
	_, words := program.MustSpec("kubectl").Options(args[1:])
	if len(words) != 3 || words[0].Text != "cp" {
		return
	}
	for i, a := range words[1:] {
		if !strings.Contains(a.Text, ":") {
			w.Path(st, []effect.Kind{effect.Read, effect.Write}[i], a)
		}
	}
	if effect.Begins(words[2].Text, "prod/ production/ live/") {
		run.Send(w, args[0], "kubectl", "kubectl", effect.ChangesThere, nil)
	}
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
	_, operands := program.Options("ssh").Options(args[1:])
	if len(operands) > 0 {
		host, _, _ := strings.Cut(afterAt(operands[0].Text), ":")
		run.Send(w, operands[0], name, cmp.Or(place.HostOf(host), host), effect.SendsFile, nil)
	}
	return effect.Passed(in, name)
}

// netcat is nc and its kin: a bare connection, with what is fed to it.
func netcat(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	opts, operands := program.Options("netcat").Options(args[1:])
	host, sends := "", cargo(in)
	if len(operands) > 0 {
		host = operands[0].Text
		if effect.AnyOf(operands[0].From, effect.Encoders) {
			sends = worse(sends, effect.SendsEncoded)
		}
	}
	switch {
	case argv.Any(opts, "-e", "--exec", "--sh-exec", "--lua-exec"),
		argv.Any(opts, "-c") && slices.ContainsFunc(operands, func(a effect.Arg) bool {
			_, ok := shell.Dialects()[argv.Base(a.Text)]
			return ok
		}):
		sends, host = effect.SendsShell, cmp.Or(host, "any machine that connects")
	case argv.Any(opts, "-l", "--listen"):
		sends, host = effect.Waits, "any machine that connects"
	case argv.Any(opts, "-z", "-h", "--help", "--version"):
		sends = ""
	}
	run.Send(w, args[0], name, host, sends, in.From)
	return effect.Passed(in, name)
}

// socat joins two addresses: TCP:host:port, EXEC:sh, FILE:x.
func socat(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	_, operands := program.Options("socat").Options(args[1:])
	host, sends, runs, waits := "", "", false, false
	for _, a := range operands {
		kindOf, rest, _ := strings.Cut(a.Text, ":")
		kindOf = strings.ToUpper(kindOf)
		switch {
		case kindOf == "EXEC" || kindOf == "SYSTEM" || kindOf == "SHELL":
			runs = true
		case strings.HasSuffix(kindOf, "-LISTEN") || strings.HasSuffix(kindOf, "-L"):
			host = cmp.Or(host, "any machine that connects")
			waits = waits || effect.Begins(kindOf, "TCP UDP OPENSSL SSL SCTP") &&
				!effect.Holds(rest, "bind=127. bind=localhost bind=[::1]")
		case strings.HasPrefix(kindOf, "TCP"), strings.HasPrefix(kindOf, "UDP"), strings.HasPrefix(kindOf, "OPENSSL"),
			strings.HasPrefix(kindOf, "SSL"), strings.HasPrefix(kindOf, "SOCKS"), strings.HasPrefix(kindOf, "PROXY"):
			host, _, _ = strings.Cut(rest, ":")
		case kindOf == "FILE" || kindOf == "OPEN" || kindOf == "GOPEN":
			a.Text, _, _ = strings.Cut(rest, ",")
			a.Exact = false
			w.Path(st, effect.Read, a)
			sends = worse(sends, effect.SendsFile)
		case a.Text == "-" || kindOf == "STDIN" || kindOf == "STDIO":
			sends = worse(sends, cargo(in))
		}
	}
	switch {
	case runs && host != "":
		sends = effect.SendsShell
	case waits:
		sends, host = effect.Waits, "any machine that connects"
	}
	run.Send(w, args[0], "socat", host, sends, in.From)
	return effect.Passed(in, "socat")
}

// lookup is a question to the name service: a name made of a command's output carries it
// to the owner of the domain.
func lookup(w *shell.Walker, _ *shell.State, args []effect.Arg, _ effect.Stream) {
	for _, a := range args[1:] {
		if len(a.From) > 0 && strings.Contains(a.Text, effect.Unknown+".") {
			run.Send(w, a, argv.Base(args[0].Text), a.Text, effect.SendsEncoded, a.From)
		}
	}
}

// openssl s_client is another netcat.
func openssl(w *shell.Walker, _ *shell.State, args []effect.Arg, in effect.Stream) {
	if len(args) > 1 && args[1].Text == "s_client" {
		for i, a := range args {
			if a.Text == "-connect" && i+1 < len(args) {
				host, _, _ := strings.Cut(args[i+1].Text, ":")
				run.Send(w, args[i+1], "openssl s_client", host, cargo(in), in.From)
			}
		}
	}
}
