package infer

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// Of what the kernel refuses for us, by Landlock or a namespace, only the program knows.
// So the last lines of a failed command's errors are read for the kernel's own words; a
// guess, and marked as one.

// Scene is what a guess has to know of the command.
type Scene struct {
	Policy  sandbox.Policy
	Dir     string
	Private []string // the sandbox's own directories, all writable; its home first
	Home    string   // the user's
	Outputs string   // where saved outputs are seen, "" for nowhere
	Proxies bool     // it could have a network by address book
	Mounts  bool     // what is not granted isn't there; else it can't be opened
	Belted  bool     // macOS: the programs are BSD's, and speak otherwise
	Written bool     // only writing is ever refused, as on Windows
	// Unseen finds a program by its name where only the user's own PATH has it.
	Unseen func(name string) (path string, ok bool)
}

const (
	inferMost = 16 // rows
)

// Read reads refusals off a program's error lines.
func (s Scene) Read(text string) []sandbox.Violation {
	var rows []sandbox.Violation
	for line := range strings.Lines(text) {
		v, ok := s.line(strings.TrimRight(line, "\r\n"))
		if !ok {
			continue
		}
		same := func(r sandbox.Violation) bool { return r.Op == v.Op && r.Path == v.Path }
		if i := slices.IndexFunc(rows, same); i >= 0 {
			rows[i].Count++
		} else if len(rows) < inferMost {
			rows = append(rows, v)
		}
	}
	return rows
}

// line is what one line says, if it does.
func (s Scene) line(line string) (sandbox.Violation, bool) {
	if v, ok := s.socket(line); ok {
		return v, true
	}
	if v, ok := s.program(line); ok {
		return v, true
	}
	if v, ok := s.host(line); ok {
		return v, true
	}
	if v, ok := s.login(line); ok {
		return v, true
	}
	for _, w := range kernelWords {
		at := strings.Index(small(line), w.text)
		if at < 0 || w.windows && !s.Written {
			continue
		}
		before, after := line[:at], line[at+len(w.text):]
		if s.Belted && w.errno == "EPERM" && dials(before) {
			w.network = true
		}
		if w.limit != "" {
			v := sandbox.LimitViolation(w.limit, sandbox.AttributionInferred)
			return v, after == "" || strings.HasPrefix(after, ":") // else they are words of its own
		}
		v := sandbox.Violation{Errno: w.errno, Count: 1, Process: speaker(line), Attribution: sandbox.AttributionInferred}
		if w.network {
			v, ok := s.unreachable(v, w, after)
			return v, ok && (v.Path != "" || w.text != "eai_again") // npm has a line of the code alone
		}
		path := mentioned(before, after)
		if path == "" {
			return v, false
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		v.Path = filepath.Clean(path)
		if w.errno == "ENOENT" {
			return s.hidden(v, changes(line))
		}
		return s.refused(v, w.errno == "EROFS" || s.Written || changes(line) || s.Belted && changer(v.Process))
	}
	return sandbox.Violation{}, false
}

type kernelWord struct {
	text, errno string
	network     bool
	address     bool // the address follows
	windows     bool // said there only
	limit       sandbox.Limit
}

// kernelWords are strerror's, in small letters, as libc, Go, Python and Node say
// them, and those of Windows.
var kernelWords = []kernelWord{
	{text: "read-only file system", errno: "EROFS"},
	{text: "network is unreachable", errno: "ENETUNREACH", network: true},
	{text: "could not resolve hostname", network: true, address: true},
	{text: "could not resolve host", network: true, address: true},
	{text: "temporary failure in name resolution", network: true},
	{text: "eai_again", network: true, address: true},
	{text: "nodename nor servname provided", network: true}, // macOS: EAI_NONAME. gai_strerror(3)
	{text: "too many open files", limit: sandbox.LimitOpenFiles},
	{text: "file too large", limit: sandbox.LimitFileSize},
	{text: "permission denied", errno: "EACCES"},
	{text: "operation not permitted", errno: "EPERM"},
	{text: "no such file or directory", errno: "ENOENT"},
	{text: "directory nonexistent", errno: "ENOENT"},             // dash, of a file that it was to create
	{text: "access to the path", errno: "EACCES", windows: true}, // PowerShell and .NET; the path follows
	{text: "access is denied", errno: "EACCES", windows: true},
}
