package judge

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
)

// The goals, in thousandths: of the dangerous commands that are gated, of the
// harmless ones that are denied and asked about, and of the seeds' own examples
// that are answered as the seeds say.
const (
	goalGated     = 990
	goalFalseDeny = 5
	goalFriction  = 30
	goalSeeds     = 1000
)

// example is one row of testdata/guard and the answer to it.
type example struct {
	Command, Expect, Class, Note, Profile, Message string
	answer                                         struct{ Decision, Message, RuleID, Error string }
}

// corpus judges a file as `pillion check --batch` does.
func corpus(t *testing.T, name string) []example {
	t.Helper()
	in, err := os.ReadFile(filepath.Join("..", "..", "testdata", "guard", name))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	defaults := Question{Profile: "balanced", Workspace: "/home/dev/project", Home: "/home/dev"}
	if _, err := Lines(bytes.NewReader(in), &out, defaults); err != nil {
		t.Fatal(err)
	}
	var rows []example
	answers := bufio.NewScanner(&out)
	answers.Buffer(nil, maxLine)
	for line := range bytes.Lines(in) {
		var e example
		unmarshal(t, line, &e)
		if !answers.Scan() {
			t.Fatalf("no answer to line %d", len(rows)+1)
		}
		unmarshal(t, answers.Bytes(), &e.answer)
		rows = append(rows, e)
	}
	return rows
}

func unmarshal(t *testing.T, line []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(line, into, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
}

// score is what a profile is worth on labelled commands.
type score struct {
	gated, dangerous              int
	falseDeny, friction, harmless int
}

func (s *score) add(e example) {
	decision := e.answer.Decision
	if e.Expect != "allow" {
		s.dangerous++
		if decision != "allow" {
			s.gated++
		}
		return
	}
	s.harmless++
	switch decision {
	case "deny":
		s.falseDeny++
	case "ask":
		s.friction++
	}
}

func TestPublicCorpus(t *testing.T) {
	scores := map[string]*score{}
	for _, e := range corpus(t, "public.jsonl") {
		if e.Profile == "" {
			e.Profile = "balanced"
		}
		if e.answer.Error != "" {
			t.Errorf("%q: %s", e.Command, e.answer.Error)
		}
		if scores[e.Profile] == nil {
			scores[e.Profile] = &score{}
		}
		scores[e.Profile].add(e)
		if (e.Expect == "allow") != (e.answer.Decision == "allow") {
			t.Logf("%s, %s (%s: %s) %q: %s %s", e.Profile, e.Expect, e.Class, e.Note, e.Command, e.answer.Decision, e.answer.RuleID)
		}
	}
	for name, s := range scores {
		t.Logf("%s: %+v", name, *s)
		if s.gated*1000 < s.dangerous*goalGated || s.falseDeny*1000 > s.harmless*goalFalseDeny || s.friction*1000 > s.harmless*goalFriction {
			t.Errorf("%s: gated %d of %d, denied %d and asked %d of %d", name, s.gated, s.dangerous, s.falseDeny, s.friction, s.harmless)
		}
	}
}

// The broad lists are from public repositories and from people who wrote them
// without knowing the rules. A few of their labels are disputed (kill PID, reading
// /proc/cpuinfo), so that they don't reach the goal for all.
func TestBroadCorpora(t *testing.T) {
	s := &score{}
	for _, name := range []string{"broad-ordinary.jsonl", "broad-dangerous.jsonl"} {
		for _, e := range corpus(t, name) {
			if e.answer.Error != "" {
				t.Errorf("%q: %s", e.Command, e.answer.Error)
			}
			s.add(e)
			if (e.Expect == "allow") != (e.answer.Decision == "allow") {
				t.Logf("%s (%s: %s) %q: %s %s", e.Expect, e.Class, e.Note, e.Command, e.answer.Decision, e.answer.RuleID)
			}
		}
	}
	t.Logf("%+v", *s)
	if s.gated*1000 < s.dangerous*985 || s.falseDeny*1000 > s.harmless*goalFalseDeny || s.friction*1000 > s.harmless*5 {
		t.Errorf("gated %d of %d, denied %d and asked %d of %d", s.gated, s.dangerous, s.falseDeny, s.friction, s.harmless)
	}
}

// The fresh lists were judged once after the rules were done: testdata/guard says
// with what result, and it must not get worse.
func TestFreshCommands(t *testing.T) {
	s := &score{}
	for _, name := range []string{"fresh-ordinary.jsonl", "fresh-dangerous.jsonl"} {
		for _, e := range corpus(t, name) {
			s.add(e)
		}
	}
	t.Logf("%+v", *s)
	if s.gated < 149 || s.dangerous != 150 || s.falseDeny > 2 || s.friction > 1 || s.harmless != 200 {
		t.Errorf("gated %d of %d, denied %d and asked %d of %d", s.gated, s.dangerous, s.falseDeny, s.friction, s.harmless)
	}
}

// A seed's examples are answered as the seed does, in its words.
func TestSeedsExamples(t *testing.T) {
	right, all := 0, 0
	for _, e := range corpus(t, "seeds.jsonl") {
		all++
		switch {
		case e.answer.Decision != e.Expect:
			t.Logf("%s (%s: %s) %q: %s, want %s", e.Profile, e.Class, e.Note, e.Command, e.answer.Decision, e.Expect)
		case e.Expect != "allow" && e.Message != "" && e.answer.Message != e.Message:
			t.Logf("%s %q: %q, want %q", e.Profile, e.Command, e.answer.Message, e.Message)
		default:
			right++
		}
	}
	t.Logf("%d of %d right", right, all)
	if right*1000 < all*goalSeeds {
		t.Errorf("%d of %d examples are answered otherwise", all-right, all)
	}
}
