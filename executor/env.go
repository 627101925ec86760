package executor

import (
	"maps"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// coreEnv are the variables a command inherits by default. Everything else of
// the editor's environment stays out: that is where tokens live.
var coreEnv = []string{"PATH", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "SHELL"}

// pipeEnv tells programs that their output is a pipe, unless somebody said
// otherwise.
var pipeEnv = map[string]string{"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat"}

// env builds a command's environment: inherited, then the configured additions,
// then the request's own (a nil value unsets), then what the sandbox needs.
func (e *Engine) env(r Request, cwd string, box *sandbox.Sandbox) []string {
	vars := map[string]string{}
	for _, kv := range e.environ {
		if name, value, _ := strings.Cut(kv, "="); inherits(r.EnvInherit, name) {
			vars[name] = value
		}
	}
	maps.Copy(vars, pipeEnv)
	maps.Copy(vars, e.conf.Env)
	vars["PWD"] = cwd
	if home := box.Home(); home != "" {
		vars["HOME"], vars["TMPDIR"] = home, box.Tmp()
	}
	for name, value := range r.Env {
		if value == nil {
			delete(vars, name)
		} else {
			vars[name] = *value
		}
	}
	env := make([]string, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+vars[name])
	}
	return env
}

// inherits says whether a variable of the sidecar's environment reaches the
// command. HOME does only where the sandbox has no home of its own (mode off).
func inherits(mode, name string) bool {
	switch mode {
	case "all":
		return true
	case "none":
		return false
	}
	return name == "HOME" || slices.Contains(coreEnv, name) || strings.HasPrefix(name, "LC_")
}

func envValue(env []string, name string) string {
	for _, kv := range env {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			return v
		}
	}
	return ""
}
