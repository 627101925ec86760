package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc"
)

// refused are the sandbox's refusals, a line for each, with the flag of exec that
// allows it: nobody should have to guess why a build failed.
func refused(list []rpc.Violation) (lines []string) {
	const most = 8
	for i, v := range list {
		if i == most {
			return append(lines, fmt.Sprintf("refused: %d more, see --json", len(list)-most))
		}
		lines = append(lines, refusal(v))
	}
	return lines
}

func refusal(v rpc.Violation) string {
	host := v.Op == "connect" && v.Address != "" // by the proxy; it is at most uncertain whose connection it was
	line := "refused: "
	if v.Attribution == "inferred" && !host {
		line = "probably refused: "
	}
	if v.Process != "" {
		line += visible(v.Process) + ": "
	}
	if !host {
		line += visible(v.Op) + " "
	}
	line += visible(v.Path + v.Address)
	if v.Rule != "" {
		line = strings.TrimRight(line, " ") + " (" + visible(v.Rule) + ")"
	}
	if v.Count > 1 {
		line += fmt.Sprintf(", %d times", v.Count)
	}
	if v.Grant != "" {
		line += "; " + howTo(v.Grant)
	}
	return line
}

// flagOf are the flags that give what a grant names.
var flagOf = map[string]string{
	"policy.network.allow": "--host", "policy.readable": "--readable", "sandbox.writable": "--writable",
	"sandbox.mode": "--mode", "sandbox.network": "--network",
}

// howTo is what a person can do with a grant, which is `setting "value"` or a text.
func howTo(grant string) string {
	if why, none := strings.CutPrefix(grant, "none: "); none {
		return visible(why)
	}
	setting, value, _ := strings.Cut(grant, " ")
	flag := flagOf[setting]
	arg, err := strconv.Unquote(value)
	if flag == "" || err != nil {
		return visible(grant)
	}
	if visible(arg) != arg { // not to be copied from a terminal
		return visible(grant)
	}
	return "to allow it: " + flag + " " + word(arg)
}

// word is a text as one word of a shell.
func word(text string) string {
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("/._-+:,@%", c)
	}
	if text != "" && !strings.ContainsFunc(text, func(c rune) bool { return !plain(c) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
