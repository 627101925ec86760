package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// peer is one way to run a command, ours or another's.
type peer struct {
	name    string
	version []string // prints its version
	line    string   // how it is called: in the page word for word, see words
	env     []string
	session func(t testing.TB, p *peer) running // nil: a process for each command
	missing string                              // why it isn't measured

	run      running
	reported string // its version
	ratios   [2]string
}

// running runs a script in the workspace, puts its output into out, and fails if the
// script did.
type running func(script string, out io.Writer) error

// words are the arguments of a line. Names in it stand for directories of this run.
func words(line string) []string {
	list := strings.Fields(line)
	for i := range list {
		list[i] = os.Expand(list[i], func(name string) string {
			return map[string]string{"WS": workspace, "TMP": scratch, "PEERS": *peers, "PILLION": pillion}[name]
		})
	}
	return list
}

// environ is that of a person who has nothing set up: a peer must not find what
// somebody has configured.
func (p *peer) environ() []string {
	home := scratch + "/home"
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + scratch, "XDG_STATE_HOME=" + scratch, "CODEX_HOME=" + scratch + "/codex"}
	return append(env, p.env...)
}

// start makes a peer ready, or says why it can't run here: it has to write in the
// workspace, and nowhere else. Without that a figure compares nothing.
func (p *peer) start(t testing.TB) {
	if p.missing == "" && len(p.version) > 0 {
		p.reported, p.missing = p.says(words(strings.Join(p.version, " ")))
	}
	if p.missing != "" {
		return
	}
	if p.run = p.each; p.session != nil {
		p.run = p.session(t, p)
	}
	var out bytes.Buffer
	made, outside := filepath.Join(workspace, "made"), filepath.Join(scratch, "outside")
	err := p.run("echo ok > made && cat made", &out)
	if got, _ := os.ReadFile(made); err != nil || out.String() != "ok\n" || string(got) != "ok\n" {
		p.missing = "can't run here: " + reason(err, out.String())
		return
	}
	check(t, os.Remove(made))
	if strings.HasPrefix(p.name, "plain") {
		return
	}
	_ = p.run("echo no > "+outside, io.Discard)
	if _, err := os.Lstat(outside); err == nil {
		p.missing = "called like this it confines nothing here"
		check(t, os.Remove(outside))
	}
}

// each starts a process for the script.
func (p *peer) each(script string, out io.Writer) error {
	argv := append(words(p.line), script)
	cmd := exec.Command(argv[0], argv[1:]...)
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = workspace, p.environ(), &said
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_, err = io.Copy(out, pipe)
	if end := cmd.Wait(); end != nil {
		return fmt.Errorf("%w: %s", end, &said)
	}
	return err
}

// says is the last line that argv prints, or why there is none.
func (p *peer) says(argv []string) (line, missing string) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = p.environ()
	b, err := cmd.CombinedOutput()
	if err != nil {
		return "", "can't run here: " + reason(err, string(b))
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.TrimSpace(lines[len(lines)-1]), ""
}

// reason is the first line of what went wrong, without directories of this machine.
func reason(err error, out string) string {
	text := out
	if err != nil {
		text = strings.TrimSpace(err.Error())
	}
	if text, _, _ = strings.Cut(strings.TrimSpace(text), "\n"); text == "" {
		return "it said nothing and made no file"
	}
	for _, dir := range []string{*peers, workspace, scratch} {
		if dir != "" {
			text = strings.ReplaceAll(text, dir, "…")
		}
	}
	return text
}

// turns measures all by turns, each sample after a wait for a quiet machine, and
// answers the medians.
func turns(rounds int, runs []func()) []time.Duration {
	samples := make([][]time.Duration, len(runs))
	for n := range rounds + 1 { // the first one doesn't count
		for i := range runs {
			if rounds >= 20 {
				gate()
			}
			if took := timed(runs[i]); n > 0 {
				samples[i] = append(samples[i], took)
			}
		}
	}
	medians := make([]time.Duration, len(runs))
	for i := range samples {
		medians[i] = quantile(samples[i], 0.5)
	}
	return medians
}
