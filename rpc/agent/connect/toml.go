package connect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// insertTOML adds an environment to Codex and makes it the default one.
func insertTOML(_ Agent, e Env, before string) (string, error) {
	all := before
	before, there := split(all)
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
	top := ourLine(`default = "pillion"`) + ourLine("include_local = false")
	block := ourLine("[[environments]]") + ourLine(`id = "pillion"`) + ourLine("program = "+text(e.Self)) + ourLine(`args = ["codex-server"]`)
	if there == top+block && strings.HasPrefix(all, top) && strings.Contains(all, block) { // what follows it is another's
		return all, nil
	}
	return top + ended(before) + block, nil
}
