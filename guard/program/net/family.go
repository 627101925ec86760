// Package net knows what talks to other machines: what it sends, fetches and lets in.
package net

import (
	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is what talks to other machines.
func Family() run.Family {
	f := run.Family{
		Does:  netHandlers(),
		After: []run.Look{download},
		Means: []run.Meaning{
			{Word: "outward/message", When: postsMessage},
			{Word: "net/send", When: run.OfMachine(sendsAway)},
			{Word: "net/tunnel", When: run.OfMachine(opens)},
		},
	}
	for name, h := range machineHandlers() {
		f.Does[name] = h
	}
	return f
}

// machineHandlers are programs that run a command in another machine, virtual or
// near: what it does there is judged as for ssh.
func machineHandlers() map[string]shell.Handler {
	return map[string]shell.Handler{
		"vagrant": inMachine, "multipass": inMachine, "lxc": inMachine, "incus": inMachine, "limactl": inMachine,
		"lima": inMachine, "colima": inMachine, "machinectl": inMachine, "mosh": inMachine, "tsh": inMachine, "fly": overSSH,
		"flyctl": overSSH, "gcloud": overSSH,
	}
}

// netHandlers are programs that talk to other machines.
func netHandlers() map[string]shell.Handler {
	return map[string]shell.Handler{
		"curl": curl, "wget": wget, "http": httpie, "https": httpie, "xh": httpie,
		"nc": netcat, "ncat": netcat, "netcat": netcat, "telnet": netcat, "socat": socat, "ssh": ssh, "autossh": ssh,
		"scp": transfer, "rsync": transfer, "sftp": upload, "ftp": upload, "lftp": upload, "tftp": upload,
		"dig": lookup, "nslookup": lookup, "host": lookup, "ping": lookup, "getent": lookup, "drill": lookup,
		"openssl": openssl,
	}
}

func sendsAway(_ *shell.Walker, e *effect.Effect) bool {
	return program.Means(e, "gists") || program.Means(e, "mails")
}

func opens(_ *shell.Walker, e *effect.Effect) bool {
	return program.Means(e, "tunnels") && !argv.Given(e.Args, "--version", "--help")
}
