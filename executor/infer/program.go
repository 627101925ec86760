package infer

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// program is what a line says of a missing program, in the words of those who don't use
// the kernel's: dash's "sh: 1: /srv/tool: not found", busybox's without the number, bash's
// "bash: line 1: tool: command not found", Node's "spawn /srv/tool ENOENT". A program that
// is not found by its name is mostly not installed; but the user's own PATH may have it in
// a directory that commands don't see, such as ~/bin.
func (s Scene) program(line string) (sandbox.Violation, bool) {
	v := sandbox.Violation{Errno: "ENOENT", Count: 1, Process: speaker(line), Attribution: sandbox.AttributionInferred}
	path, ok := shellMisses(line)
	if !ok {
		path, ok = nodeMisses(line)
	}
	if ok && s.Unseen != nil && !strings.ContainsRune(path, filepath.Separator) {
		if v.Path, ok = s.Unseen(path); ok {
			v.Op, v.Rule, v.Grant = "read", "outside", "policy.readable "+strconv.Quote(filepath.Dir(v.Path))
		}
		return v, ok
	}
	if v.Path = filepath.Clean(path); !ok || !filepath.IsAbs(path) || v.Path == "/" {
		return v, false
	}
	return s.hidden(v, false)
}

// shellMisses reads NAME: LINE: PATH: not found. Test reports and servers say the same
// of their own paths ("404: /api/users: not found"), so the form is taken strictly.
func shellMisses(line string) (path string, ok bool) {
	if before, bash := strings.CutSuffix(line, ": command not found"); bash {
		path = lastField(before)
		return path, path != before
	}
	rest, ok := strings.CutSuffix(line, ": not found")
	name, rest, named := strings.Cut(rest, ": ")
	if !ok || !named || name == "" || strings.ContainsAny(name, " \t'\"") {
		return "", false
	}
	number, path, numbered := strings.Cut(rest, ": ")
	if numbered && number != "" && strings.Trim(number, "0123456789") == "" {
		return path, true
	}
	return rest, slices.Contains([]string{"sh", "ash", "busybox"}, filepath.Base(name))
}

// nodeMisses reads spawn NAME ENOENT.
func nodeMisses(line string) (path string, ok bool) {
	before, ok := strings.CutSuffix(line, " ENOENT")
	for _, call := range []string{"spawn ", "spawnSync "} {
		if at := strings.LastIndex(before, call); ok && at >= 0 && (at == 0 || before[at-1] == ' ') {
			return before[at+len(call):], true
		}
	}
	return "", false
}
