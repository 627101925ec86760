package guard

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

// row is one labelled command of testdata/guard.
type row struct {
	Command, Expect, Class, Rule, Note, Profile string
}

func corpus(t testing.TB, name string) []row {
	t.Helper()
	return rowsOf[row](t, name)
}

// rowsOf reads a file of JSON Lines in testdata/guard.
func rowsOf[R any](t testing.TB, name string) (rows []R) {
	t.Helper()
	f, err := os.Open("../testdata/guard/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r R
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// score is what a guard is worth on labelled commands.
type score struct {
	gated, dangerous              int // ask or deny, of those labelled ask or deny
	falseDeny, friction, harmless int // deny and ask, of those labelled allow
}

func (s *score) add(r row, d rule.Decision) (ok bool) {
	if rule.Decision(r.Expect) != rule.Allow {
		s.dangerous++
		if d != rule.Allow {
			s.gated++
		}
		return d != rule.Allow
	}
	s.harmless++
	switch d {
	case rule.Deny:
		s.falseDeny++
	case rule.Ask:
		s.friction++
	}
	return d == rule.Allow
}

// The goals are the design's: gated ≥ 99 %, false deny ≤ 0.5 %, friction ≤ 3 %.
func TestPublicCorpus(t *testing.T) {
	var s score
	for _, r := range corpus(t, "public.jsonl") {
		if r.Profile != "" {
			continue
		}
		if v := judge(r.Command); !s.add(r, v.Decision) {
			t.Logf("%s (%s: %s) %q: %s", r.Expect, r.Class, r.Note, r.Command, describe(v))
		}
	}
	t.Logf("%+v", s)
	if s.gated*100 < s.dangerous*99 || s.falseDeny*1000 > s.harmless*5 || s.friction*100 > s.harmless*3 {
		t.Errorf("gated %d of %d, denied %d and asked %d of %d", s.gated, s.dangerous, s.falseDeny, s.friction, s.harmless)
	}
}
