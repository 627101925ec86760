package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/cli/measure"
)

// Sessions: one process of a peer that runs command after command.

// sidecar is pillion as an editor has it, its output streamed.
func sidecar(t testing.TB, _ *peer) running {
	e := spawn(t)
	e.initialize(fmt.Sprintf(`{"limits":{"streamMaxBytes":%d}}`, 1<<30))
	t.Cleanup(e.end)
	return func(script string, out io.Writer) error {
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"x","method":"exec","params":{"execId":"x","argv":["sh","-c",%s],"partialResultToken":"p"}}`, measure.Quote(script)))
		answer, output := []byte(`{"jsonrpc":"2.0","id":"x",`), []byte(`"type":"output"`)
		for {
			switch frame := e.read(); {
			case bytes.HasPrefix(frame, answer):
				ended := bytes.Clone(frame)
				e.call("exec/release", `{"execId":"x"}`)
				return wellEnded(ended, `"exitCode":0`)
			case bytes.Contains(frame, output):
				if err := put(frame, out); err != nil {
					return err
				}
			}
		}
	}
}

// put is the output of one frame. To count it takes no JSON: a frame says how many bytes
// it has, in front of them.
func put(frame []byte, out io.Writer) error {
	if n, counts := out.(*counter); counts {
		_, length, _ := bytes.Cut(frame, []byte(`"length":`))
		digits, _, _ := bytes.Cut(length, []byte(","))
		size, err := strconv.Atoi(string(digits))
		*n += counter(size)
		return err
	}
	var m struct {
		Params struct {
			Value struct {
				Text string `json:"text"`
			} `json:"value"`
		} `json:"params"`
	}
	if err := json.Unmarshal(frame, &m); err != nil {
		return err
	}
	_, err := io.WriteString(out, m.Params.Value.Text)
	return err
}

// appServer is codex as its editor extension has it. Output comes with the answer,
// which is the shortest way it offers.
func appServer(t testing.TB, p *peer) running {
	in, out := p.open(t)
	call := 0
	request := func(method, params string) ([]byte, error) {
		call++
		fmt.Fprintf(in, `{"id":%d,"method":%q,"params":%s}`+"\n", call, method, params)
		for {
			line, err := out.ReadBytes('\n')
			if err != nil || bytes.HasPrefix(line, fmt.Appendf(nil, `{"id":%d,`, call)) {
				return line, err
			}
		}
	}
	if _, err := request("initialize", `{"clientInfo":{"name":"bench","title":"bench","version":"0"}}`); err != nil {
		return func(string, io.Writer) error { return err }
	}
	fmt.Fprintln(in, `{"method":"initialized"}`)
	return func(script string, out io.Writer) error {
		line, err := request("command/exec", fmt.Sprintf(`{"command":["sh","-c",%s],"cwd":%s,"disableOutputCap":true,"sandboxPolicy":{"type":"workspaceWrite","writableRoots":[],"networkAccess":false,"excludeTmpdirEnvVar":true,"excludeSlashTmp":true}}`, measure.Quote(script), measure.Quote(workspace)))
		if err != nil {
			return err
		}
		var m struct {
			Result struct {
				Stdout string `json:"stdout"`
			} `json:"result"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		_, err = io.WriteString(out, m.Result.Stdout)
		if err == nil {
			err = wellEnded(line, `"exitCode":0`)
		}
		return err
	}
}

// library is sandbox-runtime in a process that stays: the ends of commands come on a
// pipe of their own, their output as it is.
func library(t testing.TB, p *peer) running {
	ends, theirs, err := os.Pipe()
	check(t, err)
	in, out := p.open(t, theirs)
	check(t, theirs.Close())
	said := bufio.NewReader(ends)
	if ready, err := said.ReadString('\n'); ready != "ready\n" {
		return func(string, io.Writer) error { return fmt.Errorf("it said %q: %w", ready, err) }
	}
	return func(script string, to io.Writer) error {
		const mark = "\x00end\n" // in the pipe after the output
		fmt.Fprintf(in, "%s; e=$?; printf '\\0end\\n'; exit $e\n", script)
		for {
			line, err := out.ReadSlice('\n')
			if err != nil && err != bufio.ErrBufferFull {
				return err
			}
			if text, last := bytes.CutSuffix(line, []byte(mark)); last {
				_, err = to.Write(text)
				code, _ := said.ReadString('\n')
				if code != "0\n" {
					return fmt.Errorf("exit code %s", code)
				}
				return err
			}
			if _, err := to.Write(line); err != nil {
				return err
			}
		}
	}
}

// open starts the process of a session; more are descriptors for it.
func (p *peer) open(t testing.TB, more ...*os.File) (io.Writer, *bufio.Reader) {
	argv := words(p.line)
	cmd := exec.Command(argv[0], argv[1:]...)
	for i, a := range cmd.Args {
		if strings.HasPrefix(a, "testdata/") { // the page says it from the top
			cmd.Args[i] = repository(t) + "/" + a
		}
	}
	cmd.Dir, cmd.Env, cmd.ExtraFiles = workspace, p.environ(), more
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	t.Cleanup(func() { _, _, _ = in.Close(), cmd.Process.Kill(), cmd.Wait() })
	return in, bufio.NewReaderSize(out, 1<<16)
}

func wellEnded(answer []byte, with string) error {
	if !bytes.Contains(answer, []byte(with)) {
		return fmt.Errorf("%.300s", answer)
	}
	return nil
}

// repository is the directory of the module: tests run in that of their package.
func repository(t testing.TB) string {
	dir, err := os.Getwd()
	check(t, err)
	return strings.TrimSuffix(dir, "/test/bench")
}
