package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// judge is who reads commands without running them.
type judge struct {
	name, version, how string
	counts             []agreement // one for each list
	missing            string
}

// agreement counts verdicts that are as labelled: no commands, and none by name.
type agreement struct{ stopped, dangerous, passed, ordinary int }

// lists are of testdata/guard; the second pair was gathered after the rules.
var lists = [][]string{{"public.jsonl"}, {"fresh-dangerous.jsonl", "fresh-ordinary.jsonl"}}

type labelled struct {
	Command string `json:"command"`
	Expect  string `json:"expect"`
	Profile string `json:"profile"`
	Context any    `json:"context"`
	line    []byte
}

// commands are the labelled ones of a list that are for the default profile.
func commands(t testing.TB, names []string) (all []labelled) {
	for _, name := range names {
		b, err := os.ReadFile("../../testdata/guard/" + name)
		check(t, err)
		for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
			c := labelled{line: bytes.Clone(s.Bytes())}
			check(t, json.Unmarshal(s.Bytes(), &c))
			if (c.Profile == "" || c.Profile == "balanced") && c.Context == nil {
				all = append(all, c)
			}
		}
	}
	return all
}

// count compares verdicts, true for one that lets the command run.
func count(all []labelled, lets []bool) (a agreement) {
	for i, c := range all {
		switch {
		case c.Expect == "allow":
			a.ordinary++
			if lets[i] {
				a.passed++
			}
		default:
			a.dangerous++
			if !lets[i] {
				a.stopped++
			}
		}
	}
	return a
}

// judged asks each judge about each list.
func judged(t testing.TB) []*judge {
	all := []*judge{{name: "pillion check", how: "$PILLION check --batch --profile balanced --workspace /home/dev/project --home /home/dev"}}
	if *peers != "" {
		all = append(all, &judge{name: "cc-safety-net, standard level", how: "node test/peers/judge.mjs $PEERS $TMP/project"})
	}
	for _, j := range all {
		for _, names := range lists {
			cs := commands(t, names)
			lets, err := j.ask(t, cs)
			if err != nil {
				j.missing = "can't run here: " + reason(err, "")
				break
			}
			j.counts = append(j.counts, count(cs, lets))
		}
	}
	if *peers != "" {
		all[1].version = installedVersion(t, "cc-safety-net")
		all = append(all, execpolicy(t))
	}
	return all
}

// ask puts all commands to a judge that answers a line for each.
func (j *judge) ask(t testing.TB, cs []labelled) (lets []bool, err error) {
	var in bytes.Buffer
	for _, c := range cs {
		in.Write(append(c.line, '\n'))
	}
	argv := words(j.how)
	for i, a := range argv {
		if strings.HasPrefix(a, "testdata/") {
			argv[i] = repository(t) + "/" + a
		}
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Env, cmd.Stderr = &in, new(peer).environ(), &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &said)
	}
	for line := range bytes.Lines(out) {
		var v struct {
			Decision string `json:"decision"`
		}
		if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("{")) {
			check(t, json.Unmarshal(line, &v))
		} else {
			v.Decision = string(line)
		}
		if v.Decision == "" {
			return nil, fmt.Errorf("no verdict: %s", line)
		}
		lets = append(lets, v.Decision == "allow")
	}
	if len(lets) != len(cs) {
		return nil, fmt.Errorf("%d verdicts on %d commands", len(lets), len(cs))
	}
	return lets, nil
}

// execpolicy is codex's judge. It comes without rules, so there is nothing to count,
// which is what this shows.
func execpolicy(t testing.TB) *judge {
	const how = "$PEERS/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex execpolicy check --rules $TMP/none.rules"
	check(t, os.WriteFile(scratch+"/none.rules", nil, 0o644))
	j := &judge{name: "codex execpolicy check", how: how}
	p := &peer{}
	line, missing := p.says(append(words(how), "bash", "-lc", "rm -rf ~"))
	if j.missing = missing; missing == "" {
		j.missing = "comes without rules of its own; without any it answers `" + line + "`"
	}
	j.version, _ = p.says([]string{words(how)[0], "--version"})
	return j
}

// installedVersion is what npm has installed.
func installedVersion(t testing.TB, name string) string {
	b, err := os.ReadFile(*peers + "/node_modules/" + name + "/package.json")
	check(t, err)
	var p struct {
		Version string `json:"version"`
	}
	check(t, json.Unmarshal(b, &p))
	return p.Version
}
