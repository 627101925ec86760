package guard

import "slices"

// interpreters run what stands on their standard input when they get no script.
var interpreters = []string{"python", "python2", "python3", "pypy", "pypy3", "node", "nodejs", "perl", "ruby", "php", "lua", "luajit", "Rscript", "julia", "osascript"}

// interpreter judges a program in another language. What the code does is read
// elsewhere; here it matters whose code it is.
func interpreter(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	s, ok := specs()[name]
	if !ok {
		s = generic
	}
	values, operands, _ := s.split(args[1:])
	inline := slices.ContainsFunc(values, func(v operand) bool { return v.role == given || v.role == file })
	w.operands(st, name, args[1:])
	switch {
	case inline:
	case len(operands) > 0 && !standard(operands[0].text):
		if s, ok := w.pipes[operands[0].text]; ok {
			w.unseen(args[0], name, through(s))
		}
		for _, s := range w.contents(st, operands[0].text) {
			if foreign(s.from) { // otherwise as good as any script of the workspace
				w.unseen(args[0], name, through(s))
			}
		}
	default:
		w.unseen(args[0], name, in)
	}
	return stream{text: unknown, open: true, from: mixed(in.from, name)}
}

// unseen reports code that comes out of another program.
func (w *walker) unseen(a arg, language string, in stream) {
	if in.open && !in.file && len(in.from) > 0 {
		w.emitAt(a, effect{kind: kindCode, name: language, text: language + " < …", from: in.from})
	}
}
