package guard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/shell"
)

var update = flag.Bool("update", false, "write testdata/guard/verdicts.txt anew")

const recordedFile = "../testdata/guard/verdicts.txt"

// recordedCase is one command of one of the lists, as it is asked.
type recordedCase struct{ profile, dialect, command string }

// TestVerdictsAreAsRecorded shows what a change did: a move of code changes no
// verdict, a change of rules those it is about. -update accepts them.
func TestVerdictsAreAsRecorded(t *testing.T) {
	now := map[string]string{}
	said := map[string]recordedCase{}
	for _, c := range recordedCases(t) {
		id := fingerprint(c.profile, c.dialect, c.command)
		now[id], said[id] = c.verdict(t), c
	}
	if *update {
		writeRecorded(t, now)
		return
	}
	was := readRecorded(t)
	for _, id := range slices.Sorted(maps.Keys(now)) {
		switch c := said[id]; {
		case was[id] == "":
			t.Errorf("not recorded yet (-update): %s %s %q", c.profile, c.dialect, c.command)
		case was[id] != now[id]:
			t.Errorf("was %s, is %s: %s %s %q", was[id], now[id], c.profile, c.dialect, c.command)
		}
	}
}

func (c recordedCase) verdict(t *testing.T) string {
	t.Helper()
	p := DefaultPolicy()
	if c.profile != "" {
		var ok bool
		if p, ok = Profile(c.profile); !ok {
			t.Fatal("no profile", c.profile)
		}
	}
	v := Check(shell.Input{Command: c.command, Cwd: testRoot, Dialect: c.dialect}, p, paper{testRoot}, testHome)
	v.PolicyHash = "" // of the rules' texts
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(v.Decision) + "/" + fingerprint(string(text))
}

func fingerprint(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return fmt.Sprintf("%x", sum[:4])
}

// recordedCases are all labelled commands and the examples of the rules.
func recordedCases(t *testing.T) (out []recordedCase) {
	t.Helper()
	add := func(dialect string, commands ...string) {
		for _, command := range commands {
			out = append(out, recordedCase{"", dialect, command})
		}
	}
	files, err := os.ReadDir("../testdata/guard")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		switch name := f.Name(); {
		case strings.HasSuffix(name, ".jsonl"):
			for _, r := range corpus(t, name) {
				profile := r.Profile
				if _, ok := Profile(profile); !ok {
					profile = ""
				}
				out = append(out, recordedCase{profile, "", r.Command})
			}
		case strings.HasSuffix(name, ".txt") && name != "verdicts.txt":
			add("bash", list(t, name)...)
		}
	}
	for _, r := range Rules() {
		add("", r.Match...)
		add("", r.NotMatch...)
	}
	add("", ordinary...)
	for _, c := range flowClasses {
		add("", slices.Concat(c.deny, c.ask, c.fine)...)
	}
	for _, lists := range []map[string][]string{dangerousIn, harmlessIn} {
		for _, dialect := range slices.Sorted(maps.Keys(lists)) {
			add(dialect, lists[dialect]...)
		}
	}
	slices.SortFunc(out, func(a, b recordedCase) int {
		return cmp.Or(cmp.Compare(a.profile, b.profile), cmp.Compare(a.dialect, b.dialect), cmp.Compare(a.command, b.command))
	})
	return slices.Compact(out)
}

func readRecorded(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(recordedFile)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if id, verdict, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			m[id] = verdict
		}
	}
	return m
}

func writeRecorded(t *testing.T, now map[string]string) {
	t.Helper()
	var b bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&b, "%s %s\n", id, now[id])
	}
	if err := os.WriteFile(recordedFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
