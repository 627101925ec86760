package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/pillion-sidecar/pillion/cli/measure"
)

// jsonRelay builds what a server would do that gives output to encoding/json: the
// same chunks in the same frames.
func jsonRelay(t testing.TB) string {
	dir := t.TempDir()
	check(t, os.WriteFile(dir+"/main.go", []byte(jsonRelaySource), 0o644))
	build(t, dir+"/relay", dir+"/main.go")
	return dir + "/relay"
}

const jsonRelaySource = `package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

type event struct {
	Type   string ` + "`json:\"type\"`" + `
	Seq    int    ` + "`json:\"seq\"`" + `
	Stream string ` + "`json:\"stream\"`" + `
	Offset int    ` + "`json:\"offset\"`" + `
	Length int    ` + "`json:\"length\"`" + `
	Text   string ` + "`json:\"text\"`" + `
}

func main() {
	cmd := exec.Command("cat", os.Args[1])
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	chunk := make([]byte, 64<<10)
	for offset, seq := 0, 0; err == nil; seq++ {
		n, end := io.ReadFull(out, chunk)
		if n == 0 {
			break
		}
		var body []byte
		body, err = json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "$/progress", "params": map[string]any{
			"token": "p", "value": event{"output", seq, "stdout", offset, n, string(chunk[:n])},
		}})
		fmt.Fprintf(os.Stdout, "Content-Length: %d\r\n\r\n", len(body))
		os.Stdout.Write(body)
		if offset += n; end != nil {
			break
		}
	}
	if err != nil {
		panic(err)
	}
}
`

// relayJSON reads its frames as the client of pillion does.
func relayJSON(t testing.TB, relay, file string, size int) {
	cmd := exec.Command(relay, file)
	c, err := measure.Start(cmd)
	check(t, err)
	e := &editor{t, c}
	for end := fmt.Appendf(nil, `"offset":%d,"length":%d`, size-64<<10, 64<<10); !bytes.Contains(e.read(), end); {
	}
	check(t, cmd.Wait())
}
