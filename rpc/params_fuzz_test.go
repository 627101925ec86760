package rpc

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// Params come from others, through the editor. Decoding never panics, and what was
// accepted decodes to the same request again.
func FuzzExecParams(f *testing.F) {
	for _, seed := range []string{
		`{"command":"ls"}`, `{"command":"ls","Command":"rm"}`, `{"argv":["a","b"],"env":{"A":null},"timeoutMs":null}`,
		`{"command":"\ud800"}`, `{"command":"a\u0000b"}`, `{"sandbox":{"mode":"off"},"command":"x"}`, `[]`, `null`, `{"stdin":{"data":"!"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		p := new(protocol.ExecParams)
		if protocol.DecodeStrict(in, p, protocol.ExecNull) != nil {
			return
		}
		r, err := convert.Exec(p)
		if err == nil && strings.ContainsRune(r.Command+strings.Join(r.Argv, ""), 0) {
			t.Errorf("a NUL got through: %q", in)
		}
	})
}
