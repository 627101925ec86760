package net

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

var netcatSpec = argv.New(":::", `-p: -w: -s: -q: -i: -x: -X: -I: -O: -T: -V: -e: -m: -g: -G: --exec: --sh-exec:
	--lua-exec: --proxy: --source-port: -o: --output: -P: -M:`)

// netcat is nc and its kin: a bare connection, with what is fed to it.
func netcat(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	opts, operands := netcatSpec.Options(args[1:])
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
	_, operands := argv.New(":::", "-b: -t: -T: -lf: -lp: -L: -W: -r: -R:").Options(args[1:])
	host, sends, runs := "", "", false
	for _, a := range operands {
		kindOf, rest, _ := strings.Cut(a.Text, ":")
		kindOf = strings.ToUpper(kindOf)
		switch {
		case kindOf == "EXEC" || kindOf == "SYSTEM" || kindOf == "SHELL":
			runs = true
		case strings.HasSuffix(kindOf, "-LISTEN") || strings.HasSuffix(kindOf, "-L"):
			host = cmp.Or(host, "any machine that connects")
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
	if runs && host != "" {
		sends = effect.SendsShell
	}
	run.Send(w, args[0], "socat", host, sends, in.From)
	return effect.Passed(in, "socat")
}

// lookup is a question to the name service: a name made of a command's output carries it
// to the owner of the domain.
func lookup(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	run.Operands(w, st, name, args[1:])
	for _, a := range args[1:] {
		if len(a.From) > 0 && strings.Contains(a.Text, effect.Unknown+".") {
			run.Send(w, a, name, a.Text, effect.SendsEncoded, a.From)
		}
	}
	return effect.Passed(in, name)
}

// openssl s_client is another netcat.
func openssl(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	run.Operands(w, st, "openssl", args[1:])
	if len(args) > 1 && args[1].Text == "s_client" {
		for i, a := range args {
			if a.Text == "-connect" && i+1 < len(args) {
				host, _, _ := strings.Cut(args[i+1].Text, ":")
				run.Send(w, args[i+1], "openssl s_client", host, cargo(in), in.From)
			}
		}
	}
	return effect.Passed(in, "openssl")
}
