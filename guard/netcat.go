package guard

import (
	"slices"
	"strings"
)

var netcatSpec = newSpec(":::", "-p: -w: -s: -q: -i: -x: -X: -I: -O: -T: -V: -e: -m: -g: -G: --exec: --sh-exec: --lua-exec: --proxy: --source-port: -o: --output: -P: -M:")

// netcat is nc and its kin: a bare connection, with what is fed to it.
func netcat(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	opts, operands := netcatSpec.options(args[1:])
	host, sends := "", cargo(in)
	if len(operands) > 0 {
		host = operands[0].text
		if anyOf(operands[0].from, encoders) {
			sends = worse(sends, sendsEncoded)
		}
	}
	switch {
	case anyOption(opts, "-e", "--exec", "--sh-exec", "--lua-exec"), anyOption(opts, "-c") && slices.ContainsFunc(operands, func(a arg) bool { _, ok := dialects()[base(a.text)]; return ok }):
		sends, host = sendsShell, orElse(host, "whoever connects")
	case anyOption(opts, "-l", "--listen"):
		sends, host = waits, "whoever connects"
	case anyOption(opts, "-z", "-h", "--help", "--version"):
		sends = ""
	}
	w.send(args[0], name, host, sends, in.from)
	return passed(in, name)
}

// socat joins two addresses: TCP:host:port, EXEC:sh, FILE:x.
func socat(w *walker, st *state, args []arg, in stream) stream {
	_, operands := newSpec(":::", "-b: -t: -T: -lf: -lp: -L: -W: -r: -R:").options(args[1:])
	host, sends, runs := "", "", false
	for _, a := range operands {
		kindOf, rest, _ := strings.Cut(a.text, ":")
		kindOf = strings.ToUpper(kindOf)
		switch {
		case kindOf == "EXEC" || kindOf == "SYSTEM" || kindOf == "SHELL":
			runs = true
		case strings.HasSuffix(kindOf, "-LISTEN") || strings.HasSuffix(kindOf, "-L"):
			host = orElse(host, "whoever connects")
		case strings.HasPrefix(kindOf, "TCP"), strings.HasPrefix(kindOf, "UDP"), strings.HasPrefix(kindOf, "OPENSSL"), strings.HasPrefix(kindOf, "SSL"), strings.HasPrefix(kindOf, "SOCKS"), strings.HasPrefix(kindOf, "PROXY"):
			host, _, _ = strings.Cut(rest, ":")
		case kindOf == "FILE" || kindOf == "OPEN" || kindOf == "GOPEN":
			a.text, _, _ = strings.Cut(rest, ",")
			a.exact = false
			w.path(st, kindRead, a)
			sends = worse(sends, sendsFile)
		case a.text == "-" || kindOf == "STDIN" || kindOf == "STDIO":
			sends = worse(sends, cargo(in))
		}
	}
	if runs && host != "" {
		sends = sendsShell
	}
	w.send(args[0], "socat", host, sends, in.from)
	return passed(in, "socat")
}

// lookup is a question to the name service: a name made of a command's output
// carries it to whoever owns the domain.
func lookup(w *walker, _ *state, args []arg, in stream) stream {
	name := base(args[0].text)
	for _, a := range args[1:] {
		if len(a.from) > 0 && strings.Contains(a.text, unknown+".") {
			w.send(a, name, a.text, sendsEncoded, a.from)
		}
	}
	return passed(in, name)
}

// openssl s_client is another netcat.
func openssl(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "openssl", args[1:])
	if len(args) > 1 && args[1].text == "s_client" {
		for i, a := range args {
			if a.text == "-connect" && i+1 < len(args) {
				host, _, _ := strings.Cut(args[i+1].text, ":")
				w.send(args[i+1], "openssl s_client", host, cargo(in), in.from)
			}
		}
	}
	return passed(in, "openssl")
}
