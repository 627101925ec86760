package connect

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/sourcegraph/conc"
)

// served is the name of who sends messages to an agent's server.
const served = "pillion"

// tell starts opencode or its fork as a server and sends it the message. Their run does the same
// with a server of its own, and Kilo's first has the whole description of its interface made,
// which takes as long as all of the rest.
func tell(ctx context.Context, c *exec.Cmd, password string) (string, error) {
	out, in, err := os.Pipe() // which we close: what the agent leaves behind may hold it open
	if err != nil {
		return "", err
	}
	var rest conc.WaitGroup
	defer rest.Wait()
	defer out.Close()
	c.Stdout, c.Stderr = in, in
	err = c.Start()
	_ = in.Close()
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Cancel(); _ = c.Wait() }() // it serves until then
	defer context.AfterFunc(ctx, func() { _ = out.Close() })()
	said := ""
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		said += line
		_, port, listens := strings.Cut(strings.TrimSpace(line), "listening on http://127.0.0.1:")
		switch {
		case listens:
			rest.Go(func() { _, _ = io.Copy(io.Discard, lines) }) // or it stands still
			answer, err := message(ctx, "http://127.0.0.1:"+port, password)
			return said + answer, err
		case err != nil:
			return said, fmt.Errorf("it did not listen: %w", err)
		}
	}
}

// message begins a session, and waits for the answer to one message.
func message(ctx context.Context, url, password string) (string, error) {
	post := func(path, body string) ([]byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.SetBasicAuth(served, password)
		direct := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		answer, err := direct.Do(r)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
		if err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s: %.300s", path, answer.Status, bytes.TrimSpace(b))
		}
		return b, err
	}
	b, err := post("/session", `{"title":"check"}`) // else it asks its model for one
	if err != nil {
		return string(b), err
	}
	var session struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(b, &session); err != nil {
		return string(b), err
	}
	b, err = post("/session/"+session.ID+"/message", `{"model":{"providerID":"standin","modelID":"m"},"parts":[{"type":"text","text":"hi"}]}`)
	return string(b), err
}
