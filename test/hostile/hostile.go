// Package hostile makes JSON as nobody should send it, for what reads messages of others.
package hostile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
)

// values are used where a peer has others.
var values = []string{
	"null", "[]", "{}", "-0", "1e999", `""`, `" "`, `"\u0000"`, `"\ud800"`, "\"\xff\"", `"Bash"`, `"bash"`, `"PreToolUse"`, `"/"`, `"../x"`, "true",
	`{"command":"rm -rf /"}`, `["rm -rf /"]`, `"rm -rf /"`, `"x","command":"rm -rf /"`, `{"command":"a","command":"b"}`, `"run_shell_command"`, `"run_commands"`,
	`"file:///etc/passwd"`, `"process/start"`, `["sh","-c","rm -rf /"]`, "18446744073709551616",
}

var names = []string{
	"command", "commands", "tool_name", "tool_input", "hook_event_name", "cwd", "toolName", "toolArgs", "hookName", "tool_call", "name", "input", "tool_info", "command_line", "new",
	"id", "method", "params", "processId", "argv", "path", "sandbox", "dataBase64",
}

// Message is one of seeds, changed in one to three places: cut off, garbled, huge, deep, with
// other values and with a member twice. A round always gives the same.
func Message(round uint64, seeds [][]byte) []byte {
	r := rand.New(rand.NewPCG(round, 23))
	in := bytes.Clone(seeds[r.IntN(len(seeds))])
	for range max(1, r.IntN(4)) {
		i := r.IntN(len(in) + 1)
		k := min(len(in), i+r.IntN(40))
		var there []byte
		switch r.IntN(12) {
		case 0: // cut off
			in = in[:i]
			continue
		case 1: // garbage
			for k = i; len(there) < 1+r.IntN(30); {
				there = append(there, byte(r.IntN(256)))
			}
		case 2, 9, 10: // another value
			if q := bytes.IndexByte(in[i:], ':'); q >= 0 {
				i += q + 1
				k = i + max(0, bytes.IndexAny(in[i:], ",}"))
			}
			there = []byte(values[r.IntN(len(values))])
		case 3, 11: // one more member, of a name that is there or not
			if q := bytes.IndexByte(in[i:], '{'); q >= 0 {
				i += q + 1
			}
			k, there = i, fmt.Appendf(nil, "%q:%s,", names[r.IntN(len(names))], values[r.IntN(len(values))])
		case 4: // a part of it twice
			there = bytes.Repeat(in[i:k], 2)
		case 5: // a part of another
			other := seeds[r.IntN(len(seeds))]
			there = other[r.IntN(len(other)):]
		case 6: // a part is missing
		case 7: // long and deep
			long := []string{"[", `{"a":`, " ", "x", `"a",`, "\\u0061"}[r.IntN(6)]
			there = bytes.Repeat([]byte(long), r.IntN(3000))
			if r.IntN(2000) == 0 {
				there = bytes.Repeat([]byte(long), 5<<20/len(long))
			}
		default: // another byte
			k, there = min(len(in), i+1), []byte{byte(r.IntN(256))}
		}
		in = slices.Replace(in, i, k, there...)
	}
	return in
}
