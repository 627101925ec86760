package infer

import (
	"path/filepath"
	"slices"
	"strings"
)

const maxSpeaker = 40 // bytes

// speaker is the program that wrote an error line: the name before the first
// colon.
func speaker(line string) string {
	name, _, ok := strings.Cut(line, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t'\"") {
		return ""
	}
	if name = filepath.Base(name); len(name) > maxSpeaker || small(name) == "fatal" || strings.HasSuffix(small(name), "error") {
		return "" // git's, Python's and Node's word for what comes
	}
	return name
}

// changing are the words programs use for what writes.
var changing = []string{
	"cannot create", "can't create", "cannot touch", "cannot remove", "cannot move", "cannot make", "cannot overwrite", "cannot change",
	"cannot write", "could not create", "could not lock", "could not write", "unable to create", "unable to write", "failed to create",
	"failed to write", "changing permissions", "changing ownership", "setting times", "setting permissions", "preserving",
	"mkdir", "rmdir", "unlink", "rename", "symlink", "chmod", "chown", "creat", "truncate", "copyfile",
}

func changes(line string) bool {
	line = small(line)
	for _, w := range changing {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// changers are programs of BSD that name themselves and a path, and not what they
// wanted of it. All they do is write.
var changers = []string{"touch", "rm", "mv", "ln", "tee", "install", "unlink", "chflags", "xattr", "truncate", "dd"}

func changer(program string) bool { return slices.Contains(changers, program) }

// dials says that what was not permitted, before the kernel's words, is a
// connection: as Go, Node and curl say it.
func dials(before string) bool {
	before = small(before)
	return strings.Contains(before, "connect") || strings.Contains(before, "dial tcp") || strings.Contains(before, "dial udp")
}

// privately is where a path of macOS really is, below its three links.
func privately(path string) string {
	for _, link := range []string{"/etc/", "/tmp/", "/var/"} {
		if strings.HasPrefix(path, link) {
			return "/private" + path
		}
	}
	return path
}

// small is in small letters and as long as s, whatever bytes that holds.
func small(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// mentioned finds the path an error is about: in quotes after it, as Python and Node write
// it, in quotes before it, as coreutils do, or as the last word of the field before it.
func mentioned(before, after string) string {
	if p := quoted(after); p != "" {
		return p
	}
	before = strings.TrimRight(before, ": [(")
	if p := quoted(lastField(before)); p != "" {
		return p
	}
	field := lastField(before)
	last := field[strings.LastIndexByte(field, ' ')+1:]
	if strings.Contains(last, "/") || strings.Contains(last, string(filepath.Separator)) || last != field && last != "" && changes(field) {
		return strings.Trim(last, "()[]`'\"")
	}
	return ""
}

// lastField is what stands behind the last ": ".
func lastField(s string) string {
	if i := strings.LastIndex(s, ": "); i >= 0 {
		return s[i+2:]
	}
	return s
}

// quoted is the last thing in quotes, of any of the kinds programs use.
func quoted(s string) string {
	for _, q := range [][2]string{{"‘", "’"}, {"'", "'"}, {`"`, `"`}, {"`", "'"}} {
		end := strings.LastIndex(s, q[1])
		if end <= 0 {
			continue
		}
		if begin := strings.LastIndex(s[:end], q[0]); begin >= 0 {
			return s[begin+len(q[0]) : end]
		}
	}
	return ""
}

// word is the first word.
func word(s string) string {
	f := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '"' || r == '\'' || r == ')' })
	if len(f) == 0 {
		return ""
	}
	return strings.TrimRight(f[0], ":")
}
