package lang

import (
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// flagSet is how an interpreter reads its short options. Exact arities matter:
// `perl -pi -e CODE` and `perl -pie CODE` are different programs.
type flagSet struct {
	code   string // take code: the rest of the word, or the next
	value  string // take a value: the rest of the word, or the next
	rest   string // take the rest of the word, if any
	digits string // take digits
	long   string // long options with code
	named  string // long options with a value
}

var interpreterFlags = sync.OnceValue(func() map[string]flagSet {
	return map[string]flagSet{
		"python": {code: "c", value: "mWX", named: "--check-hash-based-pycs"},
		"node": {
			code: "ep", value: "rC", long: "--eval --print",
			named: "--require --import --loader --experimental-loader --conditions --env-file --title " +
				"--input-type --test-reporter --test-name-pattern --watch-path",
		},
		"perl": {code: "eE", value: "MmI", rest: "iFdDxV", digits: "0lC"},
		"ruby": {code: "e", value: "rICE", rest: "iFxKWT", digits: "0"},
		"php": {
			code: "rBRE", value: "dcfFzSt", long: "--run --process-begin --process-code --process-end",
			named: "--define --file --server --docroot --php-ini",
		},
		"lua":       {code: "e", value: "l"},
		"r":         {code: "e", rest: "g", named: "--file"},
		"julia":     {code: "eE", value: "pLCJtm", long: "--eval --print", named: "--load --project --threads"},
		"osascript": {code: "e", value: "ls"},
		"tcl":       {code: "c", value: "f"},
	}
})

// invocation is an interpreter's command line, sorted.
type invocation struct {
	code     []effect.Arg
	options  []operandOf
	operands []effect.Arg
	files    bool // -n and -p: the operands are read line by line
	inplace  bool // -i: and written
	prints   bool // node -p
}

// operandOf is a value with the letter or name of its option.
type operandOf struct {
	name string
	effect.Arg
}

// parse sorts an interpreter's arguments.
func (f flagSet) parse(args []effect.Arg) (v invocation) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.Text == "--" {
			v.operands = append(v.operands, args[i+1:]...)
			return v
		}
		if len(a.Text) < 2 || a.Text[0] != '-' {
			v.operands = append(v.operands, args[i:]...)
			return v
		}
		var done bool
		if strings.HasPrefix(a.Text, "--") {
			i += f.longOption(&v, a, args[i+1:])
		} else {
			var used int
			used, done = f.cluster(&v, a, args[i+1:])
			i += used
		}
		if done {
			v.operands = append(v.operands, args[min(i+1, len(args)):]...)
			return v
		}
	}
	return v
}

func (f flagSet) longOption(v *invocation, a effect.Arg, rest []effect.Arg) (used int) {
	name, value, joined := strings.Cut(a.Text, "=")
	code := slices.Contains(strings.Fields(f.long), name)
	if !code && !slices.Contains(strings.Fields(f.named), name) {
		return 0
	}
	v.prints = v.prints || name == "--print"
	if joined {
		a.Text, a.Exact = value, false
	} else {
		if len(rest) == 0 {
			return 0
		}
		a, used = rest[0], 1
	}
	if code {
		v.code = append(v.code, a)
	} else {
		v.options = append(v.options, operandOf{name, a})
	}
	return used
}

// cluster is one word of short options. done is Python's -c and -m, after which
// everything belongs to the program.
func (f flagSet) cluster(v *invocation, a effect.Arg, rest []effect.Arg) (used int, done bool) {
	letters := a.Text[1:]
	for i := 0; i < len(letters); i++ {
		c, tail := letters[i], letters[i+1:]
		is := func(set string) bool { return strings.IndexByte(set, c) >= 0 }
		switch {
		case is(f.digits):
			for i+1 < len(letters) && (Digit(letters[i+1]) || letters[i+1] == 'x') {
				i++
			}
		case c == 'i' && is(f.rest):
			v.inplace = true
			return 0, false
		case is(f.rest):
			return 0, false
		case c == 'p' && f.long != "" && strings.HasPrefix(tail, "e"): // node -pe
			v.prints = true
		case is(f.code) || is(f.value):
			a.Exact = false
			a.Text = tail
			if tail == "" {
				if len(rest) == 0 {
					return 0, false
				}
				a, used = rest[0], 1
			}
			if is(f.code) {
				v.code = append(v.code, a)
				v.prints = v.prints || c == 'p'
			} else {
				v.options = append(v.options, operandOf{string(c), a})
			}
			return used, (c == 'c' || c == 'm') && f.named == "--check-hash-based-pycs"
		case c == 'n' || c == 'p':
			v.files = true
		}
	}
	return 0, false
}
