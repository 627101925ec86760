package connect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlMark ends every line of ours. TOML is written as text because no library keeps its
// layout.
const tomlMark = "# added by pillion connect"

// insertTOML adds an environment to Codex and makes it the default one.
func insertTOML(_ Agent, e Env, before string) (string, error) {
	before = cut(before)
	var said struct {
		Default      any              `toml:"default"`
		IncludeLocal any              `toml:"include_local"`
		Environments []map[string]any `toml:"environments"`
	}
	if err := toml.Unmarshal([]byte(before), &said); err != nil {
		return "", fmt.Errorf("it can't be read: %w", err)
	}
	switch {
	case said.Default != nil:
		return "", fmt.Errorf("its default environment is %v; remove that line first", said.Default)
	case said.IncludeLocal != nil:
		return "", errors.New("it sets include_local; remove that line first")
	case slices.ContainsFunc(said.Environments, func(m map[string]any) bool { return m["id"] == "pillion" }):
		return "", errors.New(`it has an environment "pillion" that pillion connect did not write; remove that first`)
	}
	line := func(s string) string { return s + " " + tomlMark + "\n" }
	top := line(`default = "pillion"`) + line("include_local = false")
	block := line("[[environments]]") + line(`id = "pillion"`) + line("program = "+text(e.Self)) + line(`args = ["codex-server"]`)
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return top + before + block, nil
}

func withoutTOML(_ Agent, _ Env, before string) (string, error) { return cut(before), nil }

// cut is the text without our lines.
func cut(text string) string {
	if !strings.Contains(text, tomlMark) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, tomlMark) {
			b.WriteString(line)
		}
	}
	return b.String()
}
