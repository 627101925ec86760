package hook_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/agent/hook"
	"github.com/pillion-sidecar/pillion/test/hostile"
	"github.com/pillion-sidecar/pillion/test/long"
)

var update = flag.Bool("update", false, "write the answers of testdata")

// rule is a judge that knows three commands.
func rule(c hook.Call) hook.Ruling {
	switch {
	case strings.Contains(c.Command, "rm -rf"):
		return hook.Ruling{Decision: hook.Deny, Reason: "no"}
	case strings.Contains(c.Command, "push"):
		return hook.Ruling{Decision: hook.Ask, Reason: "really?", Command: "pillion exec --approved git/force-push -- '" + c.Command + "'"}
	}
	command := "pillion exec -- '" + c.Command + "'"
	if c.Background {
		command = "pillion exec --chars 0 -- '" + c.Command + "'"
	}
	return hook.Ruling{Decision: hook.Allow, Command: command}
}

// Each file of testdata is AGENT-WHAT.in.json, as the agent of that version sent it, and
// beside it what it is answered.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.in.json")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d transcripts: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".in.json")
		t.Run(name, func(t *testing.T) {
			in, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			agent, _, _ := strings.Cut(name, "-")
			got := shown(hook.Serve(agent, bytes.NewReader(in), rule))
			golden := strings.TrimSuffix(file, ".in.json") + ".out.txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("answered\n%s\nwant\n%s (%v)", got, want, err)
			}
		})
	}
}

func shown(a hook.Answer) string {
	return string(a.Stdout) + string(a.Stderr) + "exit " + string(rune('0'+a.Code)) + "\n"
}

// denied reports an answer that every version of the agent takes for a denial.
func denied(agent string, a hook.Answer) bool {
	if agent == "windsurf" || agent == "qwen" || a.Code == 2 {
		return a.Code == 2
	}
	var out struct {
		Specific struct {
			Decision string `json:"permissionDecision"`
		} `json:"hookSpecificOutput"`
		Decision   string `json:"decision"`
		Permission string `json:"permission"`
		Own        string `json:"permissionDecision"`
		Cancel     bool   `json:"cancel"`
		Input      struct {
			Commands []string `json:"commands"`
		} `json:"overrideInput"`
	}
	if a.Code != 0 || json.Unmarshal(a.Stdout, &out) != nil {
		return false
	}
	if agent == "cline" { // it says why, or stops the agent
		says := out.Input.Commands
		return out.Cancel || len(says) == 1 && strings.HasPrefix(says[0], `printf '%s\n' '`) && strings.HasSuffix(says[0], "' >&2; exit 126")
	}
	said := map[string]string{
		"claude": out.Specific.Decision, "codex": out.Specific.Decision, "vscode": out.Specific.Decision,
		"gemini": out.Decision, "cursor": out.Permission, "copilot": out.Own,
	}
	return said[agent] == "deny"
}

// What a hook can't read is denied, in the agent's own form.
func TestWhatCannotBeReadIsDenied(t *testing.T) {
	deep := strings.Repeat("[", 20_000)
	for _, in := range []string{
		"", " ", "null", "[]", "{", `"x"`, "\xff\xfe", "{}", `{"hook_event_name":1}`, deep, strings.Repeat("x", 5<<20),
		`{"hook_event_name":"PreToolUse","hook_event_name":"Stop","tool_name":"Bash","tool_input":{"command":"ls"}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash"}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"ls"}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":["ls"]}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":""}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm"}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}} {}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"cwd":"relative"}`,
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`,
		`{"toolName":"bash","toolArgs":"not json"}`,
		`{"agent_action_name":"pre_run_command","tool_info":{}}`,
		`{"hookName":"tool_call","tool_call":{"name":"run_commands"}}`,
		`{"hookName":"tool_call","tool_call":{"name":"run_commands","input":{"commands":[]}}}`,
		`{"hookName":"tool_call","tool_call":{"name":"run_commands","input":{"commands":"ls"}}}`,
		`{"hookName":"tool_call","tool_call":{"name":"run_commands","input":["ls"]}}`,
		`{"hookName":"tool_call","tool_call":{"name":"run_commands","input":{"commands":["ls",{"command":"ls"}]}}}`,
		`{"hookName":"PreToolUse","preToolUse":{"toolName":"execute_command","parameters":{"command":"ls"}}}`,
	} {
		for _, agent := range hook.Agents() {
			a := hook.Serve(agent, strings.NewReader(in), rule)
			if !denied(agent, a) {
				t.Errorf("%s: %.80q is answered %s", agent, in, shown(a))
			}
		}
	}
}

// A panic of the judge is a denial, and so is an agent that nobody knows.
func TestOurOwnFaultsAreDenials(t *testing.T) {
	const in = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`
	a := hook.Serve("claude", strings.NewReader(in), func(hook.Call) hook.Ruling { panic("x") })
	if !denied("claude", a) {
		t.Errorf("a panic is answered %s", shown(a))
	}
	if a := hook.Serve("nobody", strings.NewReader(in), rule); a.Code != 2 {
		t.Errorf("an unknown agent is answered %s", shown(a))
	}
	for _, agent := range hook.Agents() {
		if a := hook.TooLate(agent); !denied(agent, a) {
			t.Errorf("%s: too late is answered %s", agent, shown(a))
		}
		if a := hook.Serve(agent, iotestErr{}, rule); !denied(agent, a) {
			t.Errorf("%s: a broken input is answered %s", agent, shown(a))
		}
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, os.ErrClosed }

// Members that are not known pass through untouched, whatever they are.
func TestNewMembersPassThrough(t *testing.T) {
	const in = `{"hook_event_name":"PreToolUse","new":[1],"tool_name":"Bash","tool_input":{"a":{"command":"inner"},"command":"ls","z":1.50,"s":"\u00e9"}}`
	a := hook.Serve("claude", strings.NewReader(in), rule)
	const want = `"updatedInput":{"a":{"command":"inner"},"command":"pillion exec -- 'ls'","z":1.50,"s":"\u00e9"}`
	if !strings.Contains(strings.ReplaceAll(string(a.Stdout), "é", `\u00e9`), want) {
		t.Errorf("answered %s, want %s", a.Stdout, want)
	}
}

// Whatever comes in, the answer is one that the agent reads: no opinion about a tool that
// is not a shell, our command in place of its own, or a denial.
func FuzzServe(f *testing.F) {
	for _, b := range transcripts("") {
		for i := range hook.Agents() {
			f.Add(uint8(i), b)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, in []byte) {
		agent := hook.Agents()[int(n)%len(hook.Agents())]
		if wrong := answersBadly(agent, in); wrong != "" {
			t.Fatalf("%s: %q %s", agent, in, wrong)
		}
	})
}

// The same for 100,000 questions to each hook that are cut off, huge, garbled or made to
// be read in two ways.
func TestHostileQuestions(t *testing.T) {
	long.Test(t)
	for _, agent := range hook.Agents() {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			seeds, denials, passes := transcripts(agent), 0, 0
			for round := range long.Rounds(100_000) {
				in := hostile.Message(long.Seed(round), seeds)
				if wrong := answersBadly(agent, in); wrong != "" {
					t.Fatalf("round %d: %.3000q %s", round, in, wrong)
				}
				if denied(agent, hook.Serve(agent, bytes.NewReader(in), rule)) {
					denials++
				} else {
					passes++
				}
			}
			t.Logf("%d denials, %d judged or no shell", denials, passes)
			if denials == 0 || passes == 0 {
				t.Error("the questions are all of one kind")
			}
		})
	}
}

// transcripts are what an agent has sent, or all of them.
func transcripts(agent string) (all [][]byte) {
	files, _ := filepath.Glob("testdata/" + agent + "*.in.json")
	for _, file := range files {
		b, _ := os.ReadFile(file)
		all = append(all, b)
	}
	return all
}

// answersBadly says what is wrong with the answer to a question.
func answersBadly(agent string, in []byte) string {
	judged := 0
	a := hook.Serve(agent, bytes.NewReader(in), func(c hook.Call) hook.Ruling { judged++; return rule(c) })
	switch {
	case denied(agent, a):
		return ""
	case a.Code != 0 || len(a.Stderr) > 0 || judged > 1 && agent != "cline":
		return "is answered " + shown(a)
	case judged == 0 && len(a.Stdout) > 0:
		return "passes unjudged: " + shown(a)
	case len(a.Stdout) > 0 && (!jsontext.Value(a.Stdout).IsValid() || !bytes.Contains(a.Stdout, []byte("pillion exec"))):
		return "passes without our command: " + shown(a)
	case judged == 0 && namesShell(agent, in):
		return "is about a shell and passes unjudged"
	}
	return ""
}

// namesShell reports a question that any reader takes for one about a shell.
func namesShell(agent string, in []byte) bool {
	var q struct {
		Tool string `json:"tool_name"`
		Own  string `json:"toolName"`
		Call struct {
			Tool string `json:"name"`
		} `json:"tool_call"`
	}
	if json.Unmarshal(in, &q) != nil {
		return false
	}
	shells := map[string][]string{
		"claude": {"Bash", "Monitor"}, "codex": {"Bash"}, "vscode": {"run_in_terminal"}, "gemini": {"run_shell_command"}, "qwen": {"run_shell_command", "monitor", "Bash"},
		"cursor": {"Shell", "Bash"}, "copilot": {"bash"}, "windsurf": {},
	}
	if agent == "cline" {
		return q.Call.Tool == "run_commands"
	}
	return slices.Contains(shells[agent], q.Tool) || agent == "copilot" && slices.Contains(shells[agent], q.Own) && q.Tool == ""
}
