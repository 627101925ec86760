package cli

import (
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// refused says what the sandbox refused, with the flag of exec that allows it: nobody
// should have to guess why a build failed.
func (s *shower) refused(r protocol.ExecResult) {
	for _, line := range display.Violations(r.Violations, r.Sandbox, howTo) {
		_ = s.say("%s", line.Text)
	}
}

// flagOf are the flags that give what a grant names.
var flagOf = map[string]string{
	"policy.network.allow": "--host", "policy.readable": "--readable", "sandbox.writable": "--writable",
	"sandbox.mode": "--mode", "sandbox.network": "--network",
}

// howTo is the flag that gives a grant, which is `setting "value"` or a text. It is empty
// if there is none, or if it is not to be copied from a terminal.
func howTo(v protocol.Violation) string {
	setting, value, _ := strings.Cut(v.Grant, " ")
	flag := flagOf[setting]
	arg, err := strconv.Unquote(value)
	if flag == "" || err != nil || display.Spelled(arg) != arg {
		return ""
	}
	return "to allow it: " + flag + " " + argv.Word(arg)
}
