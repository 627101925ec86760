package measure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// Client is the cheapest client of a sidecar that there can be: what it costs is not
// the sidecar's.
type Client struct {
	*jsonrpc.Wire
	cmd    *exec.Cmd
	id     int
	call   []byte // that is sent
	answer []byte // how one to it begins
}

// Start starts a sidecar without a word to it.
func Start(cmd *exec.Cmd) (*Client, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Client{Wire: jsonrpc.NewWire(out, in), cmd: cmd}, cmd.Start()
}

// Initialize opens the session on a workspace with initializationOptions, and returns
// the answer.
func (c *Client) Initialize(workspace, options string) ([]byte, error) {
	answer, err := c.Call("initialize", fmt.Sprintf(`{"processId":null,"workspaceFolders":[{"uri":%s,"name":"ws"}],"capabilities":{},"initializationOptions":%s}`,
		Quote(workspace), options))
	if err != nil {
		return nil, err
	}
	return answer, c.Send([]byte(`{"jsonrpc":"2.0","method":"initialized","params":{}}`))
}

// Close ends the session as an editor does.
func (c *Client) Close() error {
	if _, err := c.Call("shutdown", "null"); err != nil {
		c.Kill()
		return err
	}
	if err := c.Send([]byte(`{"jsonrpc":"2.0","method":"exit"}`)); err != nil {
		return err
	}
	for _, err := c.Read(); err == nil; _, err = c.Read() { // it may still have something to say
	}
	return c.cmd.Wait()
}

// Kill ends a sidecar that something is wrong with: the error reports that.
func (c *Client) Kill() {
	_ = c.cmd.Process.Kill() // it may have ended
	_ = c.cmd.Wait()
}

// Call sends a request and reads up to its answer, which holds until the next call.
func (c *Client) Call(method, params string) ([]byte, error) {
	c.id++
	c.answer = append(strconv.AppendInt(append(c.answer[:0], `{"jsonrpc":"2.0","id":`...), int64(c.id), 10), ',')
	c.call = append(append(append(append(c.call[:0], c.answer...), `"method":"`...), method...), `","params":`...)
	c.call = append(append(c.call, params...), '}')
	if err := c.Send(c.call); err != nil {
		return nil, fmt.Errorf("%s: the sidecar has ended without an answer: %w", method, err)
	}
	for {
		frame, err := c.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s: the sidecar has ended without an answer: %w", method, err)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", method, err)
		case !bytes.HasPrefix(frame, c.answer):
		case bytes.HasPrefix(frame[len(c.answer):], []byte(`"error"`)):
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

// Run is one exec that must succeed.
func (c *Client) Run(params string) ([]byte, error) {
	answer, err := c.Call("exec", params)
	if err == nil && !bytes.Contains(answer, []byte(`"exitCode":0`)) {
		err = fmt.Errorf("exec %s: %.500s", params, answer)
	}
	return answer, err
}

// Quote is s as a string of JSON.
func Quote(s string) string {
	b, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return `""` // can't be: it is UTF-8
	}
	return string(b)
}
