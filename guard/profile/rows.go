package profile

import (
	"embed"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

//go:embed rows/*.txt
var texts embed.FS

func read(name string, when map[string]rule.When) []rule.Rule {
	text, _ := texts.ReadFile("rows/" + name + ".txt") // it is there
	return rule.Rows(string(text), when)
}

// Denylist are the rows of the profile.
func Denylist() []rule.Rule { return read("denylist", denylistWhen) }

// Examples are what the rules of the profiles find.
var Examples = sync.OnceValue(func() map[string]rule.Examples { return rule.ReadExamples(texts) })
