package sandbox

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// seatbelt is all that decides how macOS confines a command: what the profile that
// sandbox-exec compiles says of it. It is pure. Paths are as the kernel knows them,
// without links and in the case that is on the disk: it compares no others.
//
// No path ever stands in the profile's text. It is a program, and a workspace called
// `")(allow default)(` would be a part of it; paths travel as parameters beside it.
// sandbox-exec(1)
type seatbelt struct {
	policy Policy
	home   string // the private home and TMPDIR
	tmp    string
	user   string // the user's own home, "" for none
	state  string // the directory of ours that no command may see
	self   string // this program: it starts the command from inside
	box    string // files that only this sandbox, and only this command, may write:
	mark   string // by them its processes are told from all others
	port   int    // of the proxy on 127.0.0.1, 0 for none
}

// sandboxExec is named by its whole path: a PATH could lead to another one.
const sandboxExec = "/usr/bin/sandbox-exec"

// argv runs a program under the profile. It refuses a NUL, which would end a path
// for the kernel and not for us.
func (s seatbelt) argv(program ...string) ([]string, error) {
	text, params := s.profile()
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

// profile says in its order what counts: of several rules the last that matches.
func (s seatbelt) profile() (string, []sbParam) {
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
func (s seatbelt) grants(w *sbWriter) {
	if s.policy.Reads == ReadsAll {
		w.line("(allow file-read*)")
	} else {
		w.rule("allow", "file-read*", subpaths(macSystem))
	}
	for i, d := range s.policy.Readable {
		w.rule("allow", "file-read*", w.below("READ", i, d))
	}
	for i, d := range s.policy.Writable {
		w.rule("allow", s.writes(), w.below("WRITE", i, d))
	}
}

// writes is what a command may do in a writable root.
func (s seatbelt) writes() string {
	if s.policy.Mode == WorkspaceWrite {
		return "file-read* file-write*"
	}
	return "file-read*"
}

// secrets, and what is ours, are hidden whatever grant would show them, unless the
// grant is for a place in one.
func (s seatbelt) secrets(w *sbWriter) {
	hide := "file-read-data file-read-xattr file-write*" // that it is there may be seen: realpath asks for every part
	w.rule("deny", hide, w.path("subpath", "STATE", s.state), literals(macClosed))
	if s.user != "" {
		w.rule("deny", hide, placesBelow(w.named("USER", s.user), secretsOf("darwin")))
	}
	for i, d := range s.policy.Readable {
		if s.inHidden(d) {
			w.rule("allow", "file-read*", w.below("READ", i, d))
		}
	}
	for i, d := range s.policy.Writable {
		if s.inHidden(d) {
			w.rule("allow", s.writes(), w.below("WRITE", i, d))
		}
	}
}

// inHidden says that a grant is for a hidden place, or one in it: the self-test's
// workspace is in our own.
func (s seatbelt) inHidden(grant string) bool {
	return grant != s.state && beneath(s.state, grant) || s.user != "" && slices.ContainsFunc(secretsOf("darwin"), func(place string) bool {
		return beneath(path.Join(s.user, place), grant)
	})
}

// own are the sandbox's own places, which stand above what was granted or denied.
func (s seatbelt) own(w *sbWriter) {
	w.rule("allow", "file-read* file-write*", w.path("subpath", "HOME", s.home), w.path("subpath", "TMP", s.tmp))
	for i, d := range s.policy.Caches {
		w.rule("allow", "file-read* file-write*", w.below("CACHE", i, d))
	}
	w.rule("allow", "file-read*", w.path("literal", "SELF", s.self))
	w.rule("allow", "file-write-data", w.path("literal", "BOX", s.box), w.path("literal", "MARK", s.mark))
	if out := s.policy.Outputs; out != "" {
		w.rule("allow", "file-read*", w.path("subpath", "OUTPUTS", out))
		w.rule("deny", "file-write*", w.path("subpath", "OUTPUTS", out))
		for i, d := range s.above(out) { // moved aside, another one could take its place
			w.rule("deny", "file-write-unlink", w.path("literal", "ABOVE_"+strconv.Itoa(i), d))
		}
	}
	// A root that is moved away, and a link left where it was: what the host then
	// writes to the workspace goes where the link leads.
	w.rule("deny", "file-write-create file-write-unlink", w.path("literal", "HOME", s.home), w.path("literal", "TMP", s.tmp))
	if s.policy.Mode == WorkspaceWrite {
		for i, d := range s.policy.Writable {
			w.rule("deny", "file-write-create file-write-unlink", w.path("literal", "WRITE_"+strconv.Itoa(i), d))
		}
	}
}

// above lists the directories on the way to a path that a command could move.
func (s seatbelt) above(p string) []string {
	var up []string
	for _, root := range slices.Concat([]string{s.home, s.tmp}, s.policy.Writable, s.policy.Caches) {
		for _, d := range between(root, p) {
			if !slices.Contains(up, d) {
				up = append(up, d)
			}
		}
	}
	return up
}
