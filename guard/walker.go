package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The budgets are counted, so that a verdict never depends on a machine's speed.
const (
	maxSteps  = 2000 // statements, words, alternatives and effects
	maxDepth  = 150  // of the syntax tree, function calls included
	maxNested = 8    // shells in shells, substitutions and wrappers
)

// walker is the abstract interpreter. It visits statements in the order a shell
// would, and writes down what they would do.
type walker struct {
	in       Input
	policy   Policy
	rows     []Rule        // the rules that speak
	patterns compiled      // the policy's
	seen     map[Span]bool // commands written down by asWritten's kin
	facts    Facts
	home     string
	roots    []string // Policy.Roots, resolved

	effects []effect
	opaque  []Span
	steps   int
	looked  int // what the policy's own rules have looked at
	limit   int // of steps
	depth   int
	stopped bool         // a budget is used up: nothing more is walked
	file    *syntax.File // the request's text
	inner   bool         // shell text inside it was read, too: sh -c, eval

	dirs    []string // where the statement being walked starts
	at      origin
	via     []Link
	lang    syntax.LangVariant
	nested  int
	pick    int // which alternative of ambiguous variables is walked
	picks   int // how many there turned out to be
	pipes   map[string]stream
	sinks   map[string]func(stream) // what reads a >(…), or a fifo
	fifos   map[string]bool         // that mkfifo made
	made    map[string][]stream     // what files hold that the command itself wrote
	fds     map[string]stream       // what the script opened for reading
	stdin   stream                  // of the statement being walked, for the substitutions in it
	stained []string                // programs in the variables of the word being folded
	branch  int                     // branches, loops and && around what is walked
	left    *[]*state               // what is known where the loop or function is left
	calling []string                // functions on the way, against endless recursion
	escaped int                     // interpreters this text is inside of
	spent   *int                    // steps used for code in interpreters, of the whole request

	discreet bool // what is read now is used, not shown
	unlocked bool // a file of secrets was read into variables
	captured int  // what is printed now goes to a program or a file, not to the terminal
}

// origin says where the text being walked stands in the request.
type origin struct {
	field  string
	index  int
	name   string // of a variable of the request
	offset int    // of the text in the source field, when mapped
	mapped bool   // positions of the text are positions of the source
	whole  Span   // what to point at when they are not
	text   string
}

func (o origin) span(n syntax.Node) Span {
	if !o.mapped {
		return o.whole
	}
	return o.clamp(offsets(n))
}

// clamp moves a range of the text into the source. Nodes that the parser made
// up to recover from an error have no place, or an end before their start.
func (o origin) clamp(start, end int) Span {
	limit := o.whole.End
	start = min(o.offset+start, limit)
	return Span{start, min(max(o.offset+end, start), limit)}
}

// spend counts work. It reports whether any is left.
func (w *walker) spend(n int) bool {
	if w.stopped {
		return false
	}
	if w.steps += n; w.steps > w.limit {
		w.stop(problemBudget)
	}
	return !w.stopped
}

func (w *walker) stop(problem string) {
	if !w.stopped {
		w.stopped = true
		w.emit(effect{kind: kindProblem, name: problem, span: w.at.whole})
	}
}

// emit writes an effect down, with the chain of constructs that led to it. When
// the budget is used up, a loop that goes on adds a few at most.
func (w *walker) emit(e effect) {
	if w.stopped && len(w.effects) > w.limit {
		return
	}
	e.via = slices.Clone(w.via)
	if e.source.Field == "" {
		e.source = Source{Field: w.at.field, Index: w.at.index, Name: w.at.name}
	}
	w.effects = append(w.effects, e)
	if w.spend(1) && e.kind == kindEnv { // every rule looks at it
		w.variable(&e)
	}
}

// emitAt is emit for an effect of one argument.
func (w *walker) emitAt(a arg, e effect) {
	e.span = a.span
	e.source = Source{Field: w.at.field, Index: a.index, Name: w.at.name}
	w.emit(e)
}

// maxLink bounds the text of one link of a chain.
const maxLink = 200

// summary is the beginning of a command's arguments, for a link.
func summary(args []arg) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.WriteString(a.text); b.Len() > maxLink {
			break
		}
	}
	return b.String()
}

// enter puts a construct on the chain; the returned function takes it off.
func (w *walker) enter(construct, text string, span Span) func() {
	if len(text) > maxLink {
		text = strings.ToValidUTF8(text[:maxLink], "") + "…"
	}
	w.via = append(w.via, Link{Construct: construct, Text: strings.ReplaceAll(text, unknown, "…"), Span: span})
	return func() { w.via = w.via[:len(w.via)-1] }
}

// each runs f once for every way the words in it may fold, on a state of its
// own, and joins what comes out. Nearly always that is once.
func (w *walker) each(st *state, f func(st *state) stream) stream {
	if !st.ambiguous() {
		return f(st)
	}
	pick, picks := w.pick, w.picks
	defer func() { w.pick, w.picks = pick, picks }()
	var joined *state
	var out stream
	w.picks = 1
	for w.pick = 0; w.pick < w.picks && w.spend(1); w.pick++ {
		branch := st.clone()
		got := f(branch)
		if joined == nil {
			joined, out = branch, got
			continue
		}
		joined.join(branch)
		out = either(out, got)
	}
	if joined != nil {
		st.become(joined)
	}
	return out
}

// either is what is printed when one of two branches runs.
func either(a, b stream) stream {
	if a.text == b.text {
		return a
	}
	return stream{text: unknown, open: a.open || b.open, from: mixed(a.from, b.from...)}
}

// maxPrinted bounds what is remembered of several commands' output together.
const maxPrinted = 4 * maxValue

// then is what is printed by one command after another.
func then(a, b stream) stream {
	err := a.err
	if len(err)+len(b.err) <= maxPrinted {
		err += b.err
	}
	out := stream{text: unknown, open: true, from: mixed(a.from, b.from...), err: err}
	switch {
	case a.text == "" && !a.open:
		b.err, b.from = err, out.from
		return b
	case b.text == "" && !b.open:
		a.err, a.from = err, out.from
		return a
	}
	switch {
	case b.text == unknown && strings.HasSuffix(a.text, unknown):
		out.text = a.text
	case len(a.text)+len(b.text) <= maxPrinted:
		out.text = a.text + b.text
	case !strings.HasSuffix(a.text, unknown) && len(a.text) <= maxPrinted:
		out.text = a.text + unknown
	case len(a.text) <= maxPrinted:
		out.text = a.text
	}
	return out
}

// mixed adds programs to the ones an output went through, each once.
func mixed(from []string, more ...string) []string {
	from = slices.Clip(from)
	for _, name := range more {
		if !slices.Contains(from, name) && (len(from) < 32 || remembered(name)) {
			from = append(from, name)
		}
	}
	return from
}
