package seatbelt

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/mounts"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// Profile is all that decides how macOS confines a command: what the profile that
// sandbox-exec compiles says of it. It is pure. Paths are as the kernel knows them,
// without links and in the case that is on the disk: it compares no others.
//
// No path is ever in the profile's text. It is a program, and a workspace called `")(allow
// default)(` would be a part of it; paths travel as parameters beside it. sandbox-exec(1)
type Profile struct {
	Policy policy.Policy
	Home   string // the private home and TMPDIR
	Tmp    string
	User   string // the user's own home, "" for none
	State  string // the directory of ours that no command may see
	Self   string // this program: it starts the command from inside
	Box    string // files that only this sandbox, and only this command, may write:
	Mark   string // by them its processes are recognised
	Port   int    // of the proxy on 127.0.0.1, 0 for none
}

// sandboxExec is named by its whole path: a PATH could lead to another one.
const sandboxExec = "/usr/bin/sandbox-exec"

// Argv runs a program under the profile. It refuses a NUL, which would end a path
// for the kernel and not for us.
func (s Profile) Argv(program ...string) ([]string, error) {
	text, params := s.Text()
	argv := []string{sandboxExec, "-p", text}
	for _, p := range params {
		argv = append(argv, "-D", p.name+"="+p.value)
	}
	argv = append(append(argv, "--"), program...)
	for _, a := range argv {
		if strings.ContainsRune(a, 0) {
			return nil, fmt.Errorf("%q holds a NUL", a)
		}
	}
	return argv, nil
}

// Text says in its order what counts: of several rules the last that matches.
func (s Profile) Text() (string, []sbParam) {
	w := &sbWriter{}
	w.line("(version 1)")
	w.line("(deny default)")
	w.line(seatbeltBase)
	s.grants(w)
	s.secrets(w)
	s.protect(w)
	s.own(w)
	s.network(w)
	return w.text.String(), w.params
}

// grants are the policy's files.
func (s Profile) grants(w *sbWriter) {
	if s.Policy.Reads == policy.ReadsAll {
		w.line("(allow file-read*)")
	} else {
		w.rule("allow", "file-read*", subpaths(policy.MacSystem))
	}
	for i, d := range s.Policy.Readable {
		w.rule("allow", "file-read*", w.below("READ", i, d))
	}
	for i, d := range s.Policy.Writable {
		w.rule("allow", s.writes(), w.below("WRITE", i, d))
	}
}

// writes is what a command may do in a writable root.
func (s Profile) writes() string {
	if s.Policy.Mode == policy.WorkspaceWrite {
		return "file-read* file-write*"
	}
	return "file-read*"
}

// secrets, and what is ours, are hidden whatever grant would show them, unless the
// grant is for a place in one.
func (s Profile) secrets(w *sbWriter) {
	hide := "file-read-data file-read-xattr file-write*" // that it is there may be seen: realpath asks for every part
	w.rule("deny", hide, w.path("subpath", "STATE", s.State), literals(macClosed))
	if s.User != "" {
		w.rule("deny", hide, placesBelow(w.named("USER", s.User), policy.SecretsOf("darwin")))
	}
	for i, d := range s.Policy.Readable {
		if s.inHidden(d) {
			w.rule("allow", "file-read*", w.below("READ", i, d))
		}
	}
	for i, d := range s.Policy.Writable {
		if s.inHidden(d) {
			w.rule("allow", s.writes(), w.below("WRITE", i, d))
		}
	}
}

// inHidden says that a grant is for a hidden place, or one in it: the self-test's
// workspace is in our own.
func (s Profile) inHidden(grant string) bool {
	return grant != s.State && policy.Beneath(s.State, grant) || s.User != "" && slices.ContainsFunc(policy.SecretsOf("darwin"), func(place string) bool {
		return policy.Beneath(path.Join(s.User, place), grant)
	})
}

// own are the sandbox's own places, which count more than what was granted or denied.
func (s Profile) own(w *sbWriter) {
	w.rule("allow", "file-read* file-write*", w.path("subpath", "HOME", s.Home), w.path("subpath", "TMP", s.Tmp))
	for i, d := range s.Policy.Caches {
		w.rule("allow", "file-read* file-write*", w.below("CACHE", i, d))
	}
	w.rule("allow", "file-read*", w.path("literal", "SELF", s.Self))
	w.rule("allow", "file-write-data", w.path("literal", "BOX", s.Box), w.path("literal", "MARK", s.Mark))
	if out := s.Policy.Outputs; out != "" {
		w.rule("allow", "file-read*", w.path("subpath", "OUTPUTS", out))
		w.rule("deny", "file-write*", w.path("subpath", "OUTPUTS", out))
		for i, d := range s.above(out) { // moved aside, another one could take its place
			w.rule("deny", "file-write-unlink", w.path("literal", "ABOVE_"+strconv.Itoa(i), d))
		}
	}
	// A root that is moved away, and a link left where it was: what the host then
	// writes to the workspace goes where the link leads.
	w.rule("deny", "file-write-create file-write-unlink", w.path("literal", "HOME", s.Home), w.path("literal", "TMP", s.Tmp))
	if s.Policy.Mode == policy.WorkspaceWrite {
		for i, d := range s.Policy.Writable {
			w.rule("deny", "file-write-create file-write-unlink", w.path("literal", "WRITE_"+strconv.Itoa(i), d))
		}
	}
}

// above lists the directories on the way to a path that a command could move.
func (s Profile) above(p string) []string {
	var up []string
	for _, root := range slices.Concat([]string{s.Home, s.Tmp}, s.Policy.Writable, s.Policy.Caches) {
		for _, d := range mounts.Between(root, p) {
			if !slices.Contains(up, d) {
				up = append(up, d)
			}
		}
	}
	return up
}
