// Package net knows what talks to other machines: what it sends, fetches and lets in.
package net

import (
	"path"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is what talks to other machines.
func Family() run.Family {
	return run.Family{
		Does: map[string]shell.Handler{
			"curl": run.Besides(curl), "wget": run.Besides(wget), "http https xh": httpie,
			"nc ncat netcat telnet powercat": netcat, "socat": socat, "ssh autossh plink": ssh, "scp rsync": transfer,
			"sftp ftp lftp tftp": upload, "openssl": run.Besides(openssl),
			"dig nslookup host ping getent drill": run.Besides(lookup),
			"kubectl oc k":                        run.Besides(podCopy),
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
