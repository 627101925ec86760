package seatbelt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sexpr is a list, or an atom: a symbol, a string in quotes, or a regular
// expression.
type sexpr struct {
	list  []sexpr
	atom  string
	quote bool
	regex bool
}

// parseSBPL reads a profile, as strictly as its language is: whatever it leaves is
// not what sandbox-exec would take.
func parseSBPL(t *testing.T, text string) []sexpr {
	t.Helper()
	stack := [][]sexpr{nil}
	add := func(e sexpr) { stack[len(stack)-1] = append(stack[len(stack)-1], e) }
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(':
			stack = append(stack, nil)
		case c == ')':
			if len(stack) < 2 {
				t.Fatalf("unbalanced at %d", i)
			}
			list := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			add(sexpr{list: list})
		case c == '"' || c == '#':
			regex := c == '#'
			if regex {
				i++
			}
			end := strings.IndexByte(text[i+1:], '"')
			if text[i] != '"' || end < 0 {
				t.Fatalf("no string at %d", i)
			}
			body := text[i+1 : i+1+end]
			if !regex && strings.ContainsRune(body, '\\') {
				t.Fatalf("an escape in %q", body)
			}
			add(sexpr{atom: body, quote: true, regex: regex})
			i += end + 1
		case c == ' ' || c == '\n':
		default:
			end := strings.IndexAny(text[i:], " \n()")
			add(sexpr{atom: text[i : i+end]})
			i += end - 1
		}
	}
	if len(stack) != 1 {
		t.Fatal("unbalanced at the end")
	}
	return stack[0]
}

// The words of the language that our profiles use. sandbox-exec refuses a profile
// with any it doesn't know, on the oldest macOS, too.
var (
	sbplOperations = strings.Fields(`default file-ioctl file-map-executable file-read* file-read-data file-read-metadata file-read-xattr file-test-existence
		file-write* file-write-create file-write-data file-write-unlink ipc-posix-sem ipc-posix-shm-read-data ipc-posix-shm-write-create
		ipc-posix-shm-write-data ipc-posix-shm-write-unlink mach-lookup network-bind network-inbound network-outbound process-exec process-fork
		process-info* pseudo-tty signal sysctl-read sysctl-write system-socket`)
	sbplFilters = strings.Fields(`extension global-name ipc-posix-name ipc-posix-name-regex literal local param path-literal regex remote require-all
		require-any socket-domain string-append subpath sysctl-name sysctl-name-prefix target`)
)

// sbProfile is a profile that can be asked, as the kernel asks it.
type sbProfile struct {
	path   string          // the last one asked about
	found  map[string]bool // by regex, in path
	rules  []sexpr
	params map[string]string
	used   map[string]bool
	regex  map[string]*regexp.Regexp
}

func newProfile(t *testing.T, text string, params []sbParam) *sbProfile {
	t.Helper()
	p := &sbProfile{params: map[string]string{}, used: map[string]bool{}, regex: map[string]*regexp.Regexp{}}
	for _, q := range params {
		if _, twice := p.params[q.name]; twice {
			t.Errorf("the parameter %s is defined twice", q.name)
		}
		p.params[q.name] = q.value
	}
	rules := parseSBPL(t, text)
	if len(rules) < 2 || render(rules[0]) != "(version 1)" || render(rules[1]) != "(deny default)" {
		t.Fatalf("the profile doesn't begin with its version and deny default:\n%s", text)
	}
	for _, r := range rules[1:] {
		p.checkRule(t, r)
	}
	p.rules = rules[2:]
	for name := range p.params {
		if !p.used[name] {
			t.Errorf("the parameter %s is not used", name)
		}
	}
	return p
}

func (p *sbProfile) checkRule(t *testing.T, r sexpr) {
	t.Helper()
	if len(r.list) < 2 || r.list[0].atom != "allow" && r.list[0].atom != "deny" {
		t.Fatalf("%s is no rule", render(r))
	}
	operations := 0
	for _, part := range r.list[1:] {
		if part.list != nil {
			p.checkFilter(t, part)
			continue
		}
		operations++
		if part.quote || !slices.Contains(sbplOperations, part.atom) {
			t.Errorf("%s is no operation", part.atom)
		}
	}
	if operations == 0 {
		t.Errorf("%s is about nothing", render(r))
	}
}

func (p *sbProfile) checkFilter(t *testing.T, f sexpr) {
	t.Helper()
	if !slices.Contains(sbplFilters, f.list[0].atom) || len(f.list) < 2 {
		t.Errorf("%s is no filter", render(f))
	}
	for _, part := range f.list[1:] {
		switch {
		case part.list != nil:
			p.checkFilter(t, part)
		case f.list[0].atom == "param":
			p.used[part.atom] = true
			if _, ok := p.params[part.atom]; !ok {
				t.Errorf("the parameter %s is not defined", part.atom)
			}
		case part.regex:
			re, err := regexp.Compile(part.atom)
			if err != nil || strings.ContainsAny(part.atom, "{}") {
				t.Errorf("%s: %v", part.atom, err)
			}
			p.regex[part.atom] = re
		}
	}
}

func render(e sexpr) string {
	if e.list == nil {
		if e.quote {
			return fmt.Sprintf("%q", e.atom)
		}
		return e.atom
	}
	var parts []string
	for _, x := range e.list {
		parts = append(parts, render(x))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// allows answers for a path: the last rule that matches counts.
func (p *sbProfile) allows(operation, path string) bool {
	for _, r := range slices.Backward(p.rules) { // the last rule that applies holds
		about, filters := false, r.list[:0:0]
		for _, part := range r.list[1:] {
			if part.list != nil {
				filters = append(filters, part)
				continue
			}
			family, star := strings.CutSuffix(part.atom, "*")
			about = about || part.atom == operation || star && strings.HasPrefix(operation, family+"-")
		}
		if about && (len(filters) == 0 || slices.ContainsFunc(filters, func(f sexpr) bool { return p.matches(f, path) })) {
			return r.list[0].atom == "allow"
		}
	}
	return false
}

func (p *sbProfile) matches(f sexpr, path string) bool {
	switch f.list[0].atom {
	case "require-all":
		return !slices.ContainsFunc(f.list[1:], func(g sexpr) bool { return !p.matches(g, path) })
	case "require-any":
		return slices.ContainsFunc(f.list[1:], func(g sexpr) bool { return p.matches(g, path) })
	case "literal", "path-literal":
		return path == p.value(f.list[1])
	case "subpath":
		root := p.value(f.list[1])
		return root == "/" || path == root || strings.HasPrefix(path, root+"/")
	case "regex":
		return p.search(f.list[1].atom, path)
	case "remote":
		return f.list[1].atom == "unix-socket" && (len(f.list) < 3 || p.matches(f.list[2], path))
	}
	return false // about something that is not a path
}

// search remembers what it said of the last path: all operations ask the same of it.
func (p *sbProfile) search(regex, path string) bool {
	if path != p.path {
		p.path, p.found = path, map[string]bool{}
	}
	found, known := p.found[regex]
	if !known {
		found = p.regex[regex].MatchString(path)
		p.found[regex] = found
	}
	return found
}

func (p *sbProfile) value(e sexpr) string {
	if e.list == nil {
		return e.atom
	}
	if e.list[0].atom == "param" {
		return p.params[e.list[1].atom]
	}
	return p.value(e.list[1]) + p.value(e.list[2]) // string-append
}
