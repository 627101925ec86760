package bench

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

var (
	peers = flag.String("peers", "", "compare with what test/peers/run has installed there; else with bubblewrap only")
	page  = flag.String("page", "", "also write the comparison into this Markdown file")
)

// everybody is who is compared: each in the nearest thing it has to our default, a
// workspace that can be written and no network.
func everybody() []*peer {
	list := []*peer{
		{name: "plain, no sandbox", line: "sh -c"},
		{name: "pillion, a running sidecar", version: []string{"$PILLION", "version"}, line: "$PILLION serve", session: sidecar},
		{name: "pillion, a process for each command", version: []string{"$PILLION", "version"}, line: "$PILLION exec -q -- sh -c"},
		{name: "bubblewrap", version: []string{"bwrap", "--version"}, line: "bwrap --unshare-all --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind $WS $WS --chdir $WS -- sh -c"},
	}
	if *peers == "" {
		return list
	}
	const (
		codex  = "$PEERS/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
		runner = "$PEERS/node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js"
	)
	return append(list,
		&peer{name: "landrun", version: []string{"cat", "$PEERS/bin/landrun.version"}, missing: uninstalled("landrun"), line: "$PEERS/bin/landrun --rox /usr,/bin,/lib,/lib64 --ro /etc,/proc --rw /dev/null --rwx $WS --env PATH -- sh -c"},
		&peer{name: "fence", version: []string{"cat", "$PEERS/bin/fence.version"}, missing: uninstalled("fence"), line: "$PEERS/bin/fence --settings $TMP/fence.json -c"},
		&peer{name: "codex, `app-server`", version: []string{codex, "--version"}, line: codex + " app-server", session: appServer},
		&peer{name: "codex, `sandbox`", version: []string{codex, "--version"}, line: codex + " sandbox -c sandbox_mode=\"workspace-write\" -c sandbox_workspace_write.exclude_slash_tmp=true -c sandbox_workspace_write.exclude_tmpdir_env_var=true -- sh -c"},
		&peer{name: "sandbox-runtime, as a library", version: []string{"node", runner, "--version"}, line: "node test/peers/srt.mjs $PEERS $TMP/srt.json", session: library},
		&peer{name: "sandbox-runtime, `srt`", version: []string{"node", runner, "--version"}, line: "node " + runner + " --settings $TMP/srt.json sh -c"},
	)
}

// uninstalled is why the installer has no such program.
func uninstalled(name string) string {
	b, _ := os.ReadFile(filepath.Join(*peers, "bin", name+".missing"))
	return strings.TrimSpace(string(b))
}

// settings are the files that lines name.
func settings() map[string]string {
	return map[string]string{
		"fence.json": `{"network":{"allowedDomains":[]},"filesystem":{"allowWrite":["$WS"]}}`,
		"srt.json":   `{"network":{"allowedDomains":[],"deniedDomains":[]},"filesystem":{"denyRead":[],"allowWrite":["$WS"],"denyWrite":[]}}`,
	}
}

func TestPeers(t *testing.T) {
	long.Test(t)
	needs.Namespaces(t)
	needs.Program(t, "bwrap")
	build(t, pillion, "../..")
	for _, dir := range []string{"home", "codex", "project"} {
		check(t, os.MkdirAll(filepath.Join(scratch, dir), 0o755))
	}
	for name, text := range settings() {
		check(t, os.WriteFile(filepath.Join(scratch, name), []byte(strings.ReplaceAll(text, "$WS", workspace)), 0o644))
	}
	all := everybody()
	var able []*peer
	for _, p := range all {
		if p.start(t); p.missing == "" {
			able = append(able, p)
		} else if *peers == "" {
			t.Errorf("%s: %s", p.name, p.missing)
		}
	}
	load, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(load), " ")
	p := form{rounds: *rounds, peers: all, load: first}
	spawns(t, able, *rounds)
	p.size = 1 << 20
	if *rounds >= 20 {
		p.size = 64 << 20
	}
	outputs(t, able, max(3, *rounds/8), p.size)
	p.judges = judged(t)
	t.Logf("\n%s", p.tables())
	if *page != "" {
		writeSection(t, *page, "bench-peers", fmt.Sprintf("%s, %d samples each, load average %s before.", machine(), p.rounds, p.load), p.tables())
	}
}

// spawns fills in the ratios of a command that does nothing.
func spawns(t testing.TB, able []*peer, rounds int) {
	var runs []func()
	for _, p := range able {
		runs = append(runs, func() { p.must(t, "true", io.Discard) })
	}
	medians := turns(rounds, runs)
	for i, p := range able {
		p.ratios[0] = figure(float64(medians[i]) / float64(medians[0]))
	}
}

// outputs fills in the shares of a pipe between two cats.
func outputs(t testing.TB, able []*peer, rounds, size int) {
	file := floods(t, size)["text"]
	runs := []func(){func() { relay(t, file, size) }}
	for _, p := range able {
		runs = append(runs, func() {
			var n counter
			if p.must(t, "cat "+file, &n); int(n) != size {
				t.Fatalf("%s: %d of %d bytes", p.name, n, size)
			}
		})
	}
	medians := turns(rounds, runs)
	for i, p := range able {
		p.ratios[1] = figure(float64(medians[0]) / float64(medians[i+1]))
	}
}

func (p *peer) must(t testing.TB, script string, out io.Writer) {
	if err := p.run(script, out); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// figure has as many digits as it means.
func figure(r float64) string {
	switch {
	case r < 10:
		return fmt.Sprintf("%.2f", r)
	case r < 100:
		return fmt.Sprintf("%.1f", r)
	}
	return fmt.Sprintf("%.0f", r)
}
