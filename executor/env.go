package executor

import (
	"cmp"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// pipeEnv tells programs that their output is a pipe, unless somebody said
// otherwise.
var pipeEnv = map[string]string{"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat"}

// env builds a command's environment: inherited, then where toolchains, caches and
// the proxy are (wayOut says so, nil without one), then what the user's
// policy sets, what the sandbox needs, and the request's own (a nil value unsets).
func (e *Engine) env(r Request, cwd string, p sandbox.Policy, caches, wayOut map[string]string, box *sandbox.Sandbox) []string {
	vars := map[string]string{}
	for _, kv := range e.environ {
		name, value, _ := strings.Cut(kv, "=")
		if name = envName(runtime.GOOS, name); inherits(r.EnvInherit, name, value) || systemEnv(runtime.GOOS, r.EnvInherit, name) {
			vars[name] = value
		}
	}
	if path, ok := vars["PATH"]; ok || len(e.conf.Path) > 0 {
		vars["PATH"] = commandPath(path, e.conf.Path, e.hidden(p))
	}
	if r.Terminal == nil {
		maps.Copy(vars, pipeEnv)
	} else {
		vars["TERM"] = cmp.Or(r.Terminal.Term, defaultTerm)
	}
	maps.Copy(vars, toolVars(e.conf.Env, caches))
	maps.Copy(vars, wayOut)
	for name, path := range e.conf.Sockets {
		if slices.Contains(p.Sockets, path) {
			vars[name] = path
		}
	}
	for name, value := range e.conf.OwnEnv {
		vars[envName(runtime.GOOS, name)] = value
	}
	vars["PWD"] = cwd
	if home := box.Home(); home != "" {
		maps.Copy(vars, homeVars(runtime.GOOS, home, box.Tmp()))
	}
	if dir := box.Outputs(); dir != "" {
		vars["PILLION_OUTPUTS"] = dir
	}
	for name, value := range r.Env {
		name = envName(runtime.GOOS, name)
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

// cacheEnv makes the caches of a policy ready and names them.
func (e *Engine) cacheEnv(p sandbox.Policy) (map[string]string, error) {
	if len(p.Caches) == 0 {
		return nil, nil
	}
	d, err := e.caches.use(filepath.Base(p.Caches[0]), cacheLinks(e.conf.Env))
	if err != nil {
		return nil, &sandbox.SetupError{Stage: "caches", Err: err}
	}
	return cacheVars(p.Caches[0], p.Network, e.conf.Env, d.has), nil
}

// hidden reports the directories of the user's home that a policy's commands
// can't read.
func (e *Engine) hidden(p sandbox.Policy) func(dir string) bool {
	return func(dir string) bool {
		if p.Mode == sandbox.Off || p.Reads == sandbox.ReadsAll || e.conf.Home == "" || !workspace.Within(e.conf.Home, dir) {
			return false
		}
		return !slices.ContainsFunc(slices.Concat(p.Readable, p.Writable), func(root string) bool { return workspace.Within(root, dir) })
	}
}

// commandPath is the PATH of commands: the directories that the user's policy
// names, then the editor's own. Relative and empty entries go: they run whatever a
// repository calls "git". So do those that can't be read: a shell that finds a
// program there goes no further, and then may not run it.
func commandPath(path string, first []string, hidden func(dir string) bool) string {
	var out []string
	for _, dir := range append(slices.Clone(first), filepath.SplitList(path)...) {
		if filepath.IsAbs(dir) && !hidden(filepath.Clean(dir)) && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return strings.Join(out, string(filepath.ListSeparator))
}

func envValue(env []string, name string) string {
	for _, kv := range env {
		if n, v, _ := strings.Cut(kv, "="); n == name {
			return v
		}
	}
	return ""
}
