package connect

import "fmt"

// Whole is a profile of an agent all of which runs inside. None of its directories is in it:
// what stands there decides what runs outside, so it has new ones, which end with it.
type Whole struct {
	Name  string
	Vars  []string // of the environment, passed on where they are set: keys, models, addresses
	Hosts []string // of its models
}

// Wholes are all profiles, by name.
func Wholes() []Whole {
	return []Whole{
		{
			"agent/claude",
			[]string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "CLAUDE_CODE_OAUTH_TOKEN"},
			[]string{"api.anthropic.com"},
		},
		{"agent/codex", []string{"CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"}, []string{"api.openai.com"}},
		{
			"agent/gemini",
			[]string{"GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_GEMINI_BASE_URL"},
			[]string{"generativelanguage.googleapis.com"},
		},
		{"agent/grok", []string{"GROK_API_KEY", "GROK_BASE_URL", "GROK_MODEL"}, []string{"api.x.ai"}},
		{"agent/qwen", []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"}, []string{"api.openai.com"}},
	}
}

// WholeNames are the names of all profiles.
func WholeNames() (names []string) {
	for _, w := range Wholes() {
		names = append(names, w.Name)
	}
	return names
}

// Named finds a profile. Of its variables it has those that are set.
func Named(name string, lookup func(string) (string, bool)) (w Whole, err error) {
	for _, w = range Wholes() {
		if w.Name != name {
			continue
		}
		var set []string
		for _, v := range w.Vars {
			if _, is := lookup(v); is {
				set = append(set, v)
			}
		}
		w.Vars = set
		return w, nil
	}
	return w, fmt.Errorf("there is no profile %q", name)
}
