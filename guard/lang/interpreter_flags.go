package lang

import (
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// flagSet is how an interpreter reads its options; see languages.txt.
type flagSet struct {
	code, value, rest, digits, last string
	long, named                     []string // long options with code, and with a value
}

var interpreterFlags = sync.OnceValue(func() map[string]flagSet {
	sets := map[string]flagSet{}
	long, named := argv.Lists(languagesText, "long"), argv.Lists(languagesText, "named")
	for name, words := range argv.Lists(languagesText, "flags") {
		f := flagSet{long: long[name], named: named[name]}
		to := map[string]*string{"code": &f.code, "value": &f.value, "rest": &f.rest, "digits": &f.digits, "last": &f.last}
		for _, word := range words {
			key, letters, _ := strings.Cut(word, "=")
			*to[key] = letters
		}
		sets[name] = f
	}
	return sets
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
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		a, used, done := args[0], 0, args[0].Text == "--"
		args = args[1:]
		switch {
		case done:
		case strings.HasPrefix(a.Text, "--"):
			used = f.longOption(&v, a, args)
		default:
			used, done = f.cluster(&v, a, args)
		}
		if args = args[used:]; done {
			break
		}
	}
	v.operands = args
	return v
}

func (f flagSet) longOption(v *invocation, a effect.Arg, rest []effect.Arg) (used int) {
	name, value, joined := strings.Cut(a.Text, "=")
	code := slices.Contains(f.long, name)
	if !code && !slices.Contains(f.named, name) {
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
		case c == 'p' && f.long != nil && strings.HasPrefix(tail, "e"): // node -pe
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
			return used, is(f.last)
		case c == 'n' || c == 'p':
			v.files = true
		}
	}
	return 0, false
}
