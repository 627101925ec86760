package guard

import (
	"path"
	"strings"
)

// policyFileName is the policy of a workspace folder; package config reads it.
// Some file systems don't tell its capitals apart.
const policyFileName = ".pillion.toml"

// policyFileRules are about pillion's own files in the workspace.
var policyFileRules = []Rule{
	{
		ID: "policy/edit", Title: "Change of the policy", Decision: Ask, Severity: 2,
		Why:      "The file holds what commands may not do here; without it the next session lets them.",
		Message:  "changes the workspace's policy {what}",
		Safer:    "let a person edit it",
		Match:    []string{"rm .pillion.toml", "echo > .pillion.toml", "> .Pillion.toml", "mv .pillion.toml x", "cd sub && tee ../.pillion.toml < x", "cp x ./.pillion.toml", "truncate -s 0 .pillion.toml"},
		NotMatch: []string{"cat .pillion.toml", "git diff .pillion.toml", "grep deny .pillion.toml", "cp .pillion.toml /tmp/x", "echo .pillion.toml >> .gitignore", "rm pillion.toml", "pillion policy validate .pillion.toml"},
		when: func(_ *walker, e *effect) bool {
			return writes(e) && strings.EqualFold(path.Base(e.path), policyFileName)
		},
	},
}
