package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/agent/connect"
)

// A whole is an agent that runs inside with all of its own, by its profile: the variables that
// lead to its model, %s, and how it is started.
type whole struct {
	program string
	env     []string
	args    []string
}

// wholes are agents without a place for pillion, those whose hook can't send commands
// elsewhere, and one that people ask for.
var wholes = []whole{
	{"grok", []string{"GROK_BASE_URL=%s/v1", "GROK_API_KEY=x", "GROK_MODEL=m"}, []string{"-p", "hi"}},
	{"qwen", []string{"OPENAI_BASE_URL=%s/v1", "OPENAI_API_KEY=x", "OPENAI_MODEL=m"}, []string{"-p", "hi", "--yolo"}},
	{"claude", []string{"ANTHROPIC_BASE_URL=%s", "ANTHROPIC_API_KEY=x"}, []string{"-p", "hi", "--allowedTools", "Bash"}},
}

// inside starts the agent itself in the sandbox, on a terminal: it says of itself what it says
// outside.
func (t *trial) inside() error {
	if len(t.agent.Programs) == 0 {
		return nil // another row's program
	}
	program := t.agent.Programs[0]
	bin, _, _ := strings.Cut(t.path, string(os.PathListSeparator))
	want, err := t.onTerminal(program + " --version")
	if err != nil {
		return err
	}
	got, err := t.onTerminal(t.self + " exec -q -i --readable " + filepath.Dir(bin) + " -- " + program + " --version")
	if err != nil || !strings.Contains(got, strings.TrimSpace(want)) || strings.TrimSpace(want) == "" {
		return fmt.Errorf("it says %q, outside %q: %w", got, want, err)
	}
	for _, w := range wholes {
		if w.program == program {
			return t.works(w)
		}
	}
	return nil
}

// onTerminal is what a line of shell text shows on a terminal.
func (t *trial) onTerminal(line string) (string, error) {
	c := exec.Command("script", "-qec", line, "/dev/null")
	c.Dir, c.Env = t.work, []string{"HOME=" + t.home, "PATH=" + t.path, "TERM=dumb"}
	out, err := c.Output()
	return string(out), err
}

// works: inside, the agent does what its model asks for, and sees and changes no home.
func (t *trial) works(w whole) error {
	in, err := connect.NewStandIn(nil, "sh ./check.sh")
	if err != nil {
		return err
	}
	defer in.Close()
	model, err := url.Parse(in.URL)
	if err != nil {
		return err
	}
	secret, bashrc := filepath.Join(t.home, "secret"), filepath.Join(t.home, ".bashrc")
	ran := filepath.Join(t.work, "ran")
	script := "{ echo ran-$((6*7)); cat " + secret + "; } >ran 2>&1\ncat ran\necho wrote >> " + bashrc + "\n"
	policy := filepath.Join(t.home, ".config", "pillion", "policy.toml") // nobody is asked here
	for path, text := range map[string]string{
		filepath.Join(t.work, "check.sh"): script, secret: "the-secret", policy: "[rules]\n\"agent/unbraked\" = \"allow\"\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	bin, _, _ := strings.Cut(t.path, string(os.PathListSeparator))
	args := []string{"exec", "-q", "-i", "--profile", "agent/" + w.program, "--host-port", model.Port(), "--readable", filepath.Dir(bin), "--", w.program}
	c := t.command(append(args, w.args...)...)
	for _, v := range w.env {
		c.Env = append(c.Env, strings.Replace(v, "%s", "http://host.pillion:"+model.Port(), 1))
	}
	said, err := c.CombinedOutput()
	all := strings.Join(in.Results(), "\n")
	wrote, _ := os.ReadFile(bashrc)
	// What the command saw is read from its file too: Qwen Code, asked one thing only, answers
	// when its shell has exited, and what it had not read of the pipe by then is lost.
	saw, _ := os.ReadFile(ran)
	if !bytes.Contains(saw, []byte("ran-42")) || strings.Contains(all+string(saw), "the-secret") || bytes.Contains(wrote, []byte("wrote")) {
		return fmt.Errorf("the command saw %q, its model read %q, it said %.600q: %w", saw, all, said, err)
	}
	return nil
}
