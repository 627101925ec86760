// Package net knows what talks to other machines: what it sends, fetches and lets in.
package net

import (
	"path"
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
	return run.Family{
		Does: map[string]shell.Handler{
			"curl": run.Besides(curl), "wget": run.Besides(wget), "http https xh": httpie,
			"nc ncat netcat telnet": netcat, "socat": socat, "ssh autossh plink": ssh, "scp rsync": transfer,
			"sftp ftp lftp tftp": upload, "openssl": run.Besides(openssl),
			"dig nslookup host ping getent drill": run.Besides(lookup),
			// A command in another machine, virtual or near, is judged as for ssh.
			"vagrant multipass lxc incus limactl lima colima machinectl mosh tsh docker-machine": inMachine,
			"fly flyctl gcloud": run.Besides(overSSH),
		},
		After: []run.Look{download},
		Means: []run.Meaning{
			{Word: "outward/message", When: postsMessage},
		},
	}
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
	case effect.Among(in.From[len(in.From)-1], effect.Makers):
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
	if !body || !effect.Among(path.Ext(name), requestBodies) {
		p.sends = worse(p.sends, effect.SendsFile)
	}
}

// text is a value that is in the command.
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

// machineVerb says after which word the machine's name and its command come, and how many
// names there are.
func machineVerb(name string) (verb string, names int) {
	switch name {
	case "multipass", "lxc", "incus":
		return "exec", 1
	case "limactl", "machinectl":
		return "shell", 1
	case "colima":
		return "ssh", 0
	case "tsh", "docker-machine":
		return "ssh", 1
	case "mosh":
		return "", 1
	}
	return "", 0
}

// overSSH is fly ssh console -C and gcloud compute ssh --command.
func overSSH(w *shell.Walker, st *shell.State, args []effect.Arg, _ effect.Stream) {
	if slices.ContainsFunc(args[1:], func(a effect.Arg) bool { return a.Text == "ssh" }) {
		for _, code := range argv.Values(args[1:], "-C", "--command") {
			run.Elsewhere(w, st, argv.Base(args[0].Text)+" ssh", code)
		}
	}
}

func inMachine(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	rest := args[1:]
	if name == "vagrant" {
		if len(rest) > 0 && rest[0].Text == "ssh" {
			for _, code := range argv.Values(rest[1:], "-c", "--command") {
				run.Elsewhere(w, st, "vagrant ssh", code)
			}
		}
		return effect.Passed(in, "ssh")
	}
	verb, names := machineVerb(name)
	_, rest = program.Options("machine").Leading(rest)
	if verb != "" {
		if len(rest) == 0 || rest[0].Text != verb {
			run.Operands(w, st, name, args[1:])
			return effect.Passed(in, name)
		}
		_, rest = program.Options("machine").Leading(rest[1:])
	}
	if len(rest) <= names {
		return effect.Passed(in, "ssh")
	}
	if rest = rest[names:]; rest[0].Text == "--" {
		rest = rest[1:]
	} else if _, after := program.Options("machine").Leading(rest); len(after) > 0 {
		rest = after
	}
	if len(rest) > 0 {
		run.Elsewhere(w, st, name, argvText(rest))
	}
	return effect.Passed(in, "ssh")
}

// argvText is a command whose words no shell reads again, as text.
func argvText(args []effect.Arg) effect.Arg {
	code := args[0]
	code.Text, code.Exact = argv.QuotedWords(effect.Texts(args)), false
	if len(args) == 1 { // pdsh and machinectl take one word as a command line
		code.Text = args[0].Text
	}
	return code
}

// InContainer judges a command in a container for the credentials it prints; one
// that was running before also for its end. Other files are the container's own.
func InContainer(w *shell.Walker, st *shell.State, construct string, command []effect.Arg) {
	running := strings.HasSuffix(construct, "exec")
	if len(command) == 0 || strings.Contains(command[0].Text, effect.Unknown) || !w.Deeper() {
		return
	}
	defer w.Back()
	defer w.Keeping(func(e *effect.Effect) bool {
		return e.Kind == effect.Read || e.Kind == effect.Problem && e.Name != effect.ProblemSyntax ||
			running && e.Kind == effect.Delete && strings.Trim(e.Path, "/*") == ""
	})()
	run.Elsewhere(w, st, construct, argvText(command))
}
