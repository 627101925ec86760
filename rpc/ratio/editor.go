package ratio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// editor is the cheapest client there can be: what it costs is not the sidecar's.
type editor struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	body []byte
	id   int
}

// start starts the program as a sidecar, with directories of its own below home.
func start(ctx context.Context, program, home string) (*editor, error) {
	e := &editor{cmd: exec.CommandContext(ctx, program, "serve")}
	e.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + home + "/cache", "XDG_STATE_HOME=" + home + "/state",
		"XDG_CONFIG_HOME=" + home + "/config",
	}
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.out = bufio.NewReaderSize(out, 1<<16)
	return e, e.cmd.Start()
}

// initialize opens the session on workspace. The grant is for the commands that are
// measured without the sandbox.
func (e *editor) initialize(workspace string) ([]byte, error) {
	answer, err := e.call("initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":%s,"name":"ws"}],"capabilities":{},`+
		`"initializationOptions":{"protocolVersion":1,"policy":{"allowOff":true}}}`, quote(workspace)))
	if err != nil {
		return nil, err
	}
	return answer, e.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
}

// close ends the session as an editor does.
func (e *editor) close() error {
	if _, err := e.call("shutdown", "null"); err != nil {
		e.kill()
		return err
	}
	if err := e.send(`{"jsonrpc":"2.0","method":"exit"}`); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, e.out)
	return e.cmd.Wait()
}

// kill ends a sidecar that something is wrong with: that is what is told.
func (e *editor) kill() {
	_ = e.cmd.Process.Kill() // it may have ended
	_ = e.cmd.Wait()
}

// call sends a request and reads up to its answer, which holds until the next call.
func (e *editor) call(method, params string) ([]byte, error) {
	e.id++
	if err := e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, e.id, method, params)); err != nil {
		return nil, fmt.Errorf("%s: the sidecar has ended without an answer: %w", method, err)
	}
	answer := []byte(`{"jsonrpc":"2.0","id":` + strconv.Itoa(e.id) + `,`)
	for {
		frame, err := e.read()
		switch {
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s: the sidecar has ended without an answer: %w", method, err)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", method, err)
		case !bytes.HasPrefix(frame, answer):
		case bytes.HasPrefix(frame[len(answer):], []byte(`"error"`)):
			return nil, fmt.Errorf("%s: %s", method, message(frame))
		default:
			return frame, nil
		}
	}
}

// message is what an error says.
func message(frame []byte) string {
	var m struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(frame, &m); err != nil {
		return err.Error()
	}
	return m.Error.Message
}

// run is one exec that must succeed.
func (e *editor) run(params string) ([]byte, error) {
	answer, err := e.call("exec", params)
	if err == nil && !bytes.Contains(answer, []byte(`"exitCode":0`)) {
		err = fmt.Errorf("exec %s: %.500s", params, answer)
	}
	return answer, err
}

func (e *editor) send(body string) error {
	_, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// read returns the next frame; it is valid until the next read.
func (e *editor) read() ([]byte, error) {
	length := 0
	for {
		line, err := e.out.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line == "\r\n" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(n)) // 0 if it is none: the next header is then
		}
	}
	if cap(e.body) < length {
		e.body = make([]byte, length)
	}
	e.body = e.body[:length]
	_, err := io.ReadFull(e.out, e.body)
	return e.body, err
}

func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return `""` // can't be: it is UTF-8
	}
	return string(b)
}
