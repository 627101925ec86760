package infer

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/workspace"
)

// hidden finds what the sandbox never shows, by its name alone. Whether the host has it is
// not asked: that would tell a command what there is.
func (s Scene) hidden(v sandbox.Violation, write bool) (sandbox.Violation, bool) {
	if rel, err := filepath.Rel(s.Private[0], v.Path); err == nil && filepath.IsLocal(rel) && s.Home != "" {
		v.Path = filepath.Join(s.Home, rel) // what ~ meant where the private home has another place
	}
	if s.Policy.Hides(s.Home, v.Path) {
		v.Op, v.Rule, v.Grant = "read", "secret", "policy.readable "+strconv.Quote(v.Path)
		return v, true
	}
	if !s.Mounts || s.own(v.Path) || s.Policy.Covers(v.Path, false) || slices.ContainsFunc(bare, func(d string) bool { return workspace.Within(d, v.Path) }) {
		return v, false
	}
	return s.refused(v, write)
}

// bare are places whose contents are the sandbox's own or empty: a missing file there is
// not a refusal.
var bare = []string{"/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp"}

// refused says whether the sandbox is why a path could not be used, and what
// would allow it.
func (s Scene) refused(v sandbox.Violation, write bool) (sandbox.Violation, bool) {
	p := s.Policy
	switch {
	case s.own(v.Path):
		return v, false
	case !write && !p.Covers(v.Path, false):
		v.Op, v.Rule, v.Grant = "read", "outside", "policy.readable "+strconv.Quote(v.Path)
		return v, true
	case p.Covers(v.Path, true), !write && workspace.Within("/etc", v.Path):
		return v, false // a file's own permissions
	}
	v.Op, v.Rule, v.Grant = "write", "outside", s.writeGrant(v.Path)
	return v, true
}

// own says whether a path is the sandbox's own. What the policy names may lie
// below its home and TMPDIR, and is not.
func (s Scene) own(path string) bool {
	under := func(roots []string) bool {
		return slices.ContainsFunc(roots, func(d string) bool { return d != "" && workspace.Within(d, path) })
	}
	return under(s.Private) && !under(s.Policy.Writable) && !under(s.Policy.Readable)
}

// writeGrant names the smallest directory that would do, but never one that would
// give everything away.
func (s Scene) writeGrant(path string) string {
	dir := filepath.Dir(path)
	inside := s.Policy
	inside.Mode = sandbox.WorkspaceWrite
	switch {
	case s.Policy.Mode == sandbox.ReadOnly && inside.Covers(path, true):
		return `sandbox.mode "workspace-write"`
	case s.Outputs != "" && workspace.Within(s.Outputs, path):
		return "" // nothing makes them writable
	case dir == "/" || s.Home != "" && workspace.Within(dir, s.Home):
		return ""
	case protect.Obeyed(path): // a hook of another project: no click makes it a command's
		return "none: your own tools obey what is there"
	}
	return "sandbox.writable " + strconv.Quote(dir)
}
