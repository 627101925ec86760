// Package machine knows what changes the machine for all its programs: power,
// processes, services, accounts, rights.
package machine

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is power, processes, services, and who may do what.
func Family() run.Family {
	return run.Family{Means: []run.Meaning{
		{Word: "agent/unbraked", When: asksNobody},
		{Word: "secret/keys", When: watchesUser},
		{Word: "process/kill-all", When: killsAll},
		{Word: "process/kill-parent", When: killsParent},
		{Word: "system/kill-by-name", When: run.OfMachine(killsByName)},
		{Word: "system/attack-tool", When: attacks},
		{Word: "persist/tracks", When: run.OfMachine(coversTracks)},
		{Word: "system/root-shell", When: rootShell},
		{Word: "system/root", When: asRoot},
	}}
}

// coversTracks is set +o history.
func coversTracks(_ *shell.Walker, e *effect.Effect) bool {
	return e.Runs("set") && len(e.Args) > 1 && e.Args[0].Text == "+o" && e.Args[1].Text == "history"
}

// agentFlags switch an agent's questions off, whatever the agent is called.
var agentFlags = argv.Names(`--dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox
	--dangerously-allow-all --allow-dangerously-skip-permissions --skip-permissions-unsafe --trust-all-tools`)

// asksNobody finds the options that no other program has.
func asksNobody(_ *shell.Walker, e *effect.Effect) bool {
	if e.Kind != effect.Exec {
		return false
	}
	if m := program.Of(e.Name); m != nil && !m.Has("options") && m.Wrapper == nil {
		return false // echo, grep
	}
	_, args := program.Launched(e.Name, e.Args)
	return argv.AnyText(args[:min(len(args), 64)], agentFlags.Has) && !searches.Has(e.Name)
}

// searches are programs that take such an option for text.
var searches = argv.Names("grep egrep fgrep rg ag ack ugrep git sed awk jq head tail")

// watchesUser is a trap that writes down each command.
func watchesUser(_ *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("trap") || len(e.Args) < 2 {
		return false
	}
	s := e.Args[0].Text
	writes := strings.Contains(s, "BASH_COMMAND") || strings.Contains(s, "history") || strings.Contains(s, "fc -")
	return writes && strings.Contains(s, ">") && argv.AnyText(e.Args[1:], func(s string) bool { return s == "DEBUG" })
}
