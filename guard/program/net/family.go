// Package net knows what talks to other machines: what it sends, fetches and lets in.
package net

import (
	"slices"
	"strings"

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

// cargo says what flows out of in.
func cargo(in effect.Stream) string {
	switch {
	case effect.AnyOf(in.From, effect.Dumpers):
		return effect.SendsEnvironment
	case effect.AnyOf(in.From, effect.Packers):
		return effect.SendsProject
	case !in.Open || !strings.Contains(in.Text, effect.Unknown):
		return ""
	case len(in.From) == 0:
		return effect.SendsFile
	case slices.Contains(effect.Makers, in.From[len(in.From)-1]):
		return ""
	}
	return effect.SendsOutput
}

// worse is the worse of two things sent.
func worse(a, b string) string {
	order := []string{
		"", effect.SendsFile, effect.SendsOutput, effect.SendsEncoded, effect.SendsProject,
		effect.SendsEnvironment, effect.SendsShell,
	}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// Parcel collects what one request carries.
type Parcel struct {
	W     *shell.Walker
	St    *shell.State
	In    effect.Stream
	sends string
	from  []string
}

// File is a file, or standard input as "-", that is sent as it is.
func (p *Parcel) File(a effect.Arg, name string, body bool) {
	if name == "-" || name == "." {
		p.sends, p.from = worse(p.sends, cargo(p.In)), effect.Mixed(p.from, p.In.From...)
		return
	}
	a.Text, a.Exact = name, false
	if s, ok := p.W.Pipes[name]; ok {
		p.sends = worse(p.sends, cargo(effect.Through(s)))
		return
	}
	p.W.Path(p.St, effect.Read, a)
	if !body || !requestBody(name) {
		p.sends = worse(p.sends, effect.SendsFile)
	}
}

// text is a value that stands in the command.
func (p *Parcel) text(a effect.Arg) {
	if len(a.From) == 0 {
		return
	}
	switch {
	case effect.AnyOf(a.From, effect.Dumpers):
		p.sends = worse(p.sends, effect.SendsEnvironment)
	case effect.AnyOf(a.From, effect.Encoders):
		p.sends = worse(p.sends, effect.SendsEncoded)
	}
}
