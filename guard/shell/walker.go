package shell

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// The budgets are counted, so that a verdict never depends on a machine's speed.
const (
	MaxSteps  = 2000 // statements, words, alternatives and effects
	maxDepth  = 150  // of the syntax tree, function calls included
	maxNested = 8    // shells in shells, substitutions and wrappers
)

// Walker is the abstract interpreter. It visits statements in the order a shell
// would, and writes down what they would do.
type Walker struct {
	place.World
	In       Input
	Closed   string               // why nothing may run at all
	Commands bool                 // every command as it is written
	Temp     string               // what $TMPDIR is
	seen     map[effect.Span]bool // commands written down by asWritten's kin

	Programs Programs
	Effects  []effect.Effect
	keeps    func(*effect.Effect) bool // which effects are written down; nil for all
	Refuses  func(*effect.Effect) bool // which ones a rule denies; nil where nothing is judged
	Opaque   []effect.Span
	Steps    int
	Limit    int // of steps
	depth    int
	Stopped  bool         // a budget is used up: nothing more is walked
	File     *syntax.File // the request's text
	Inner    bool         // shell text inside it was read, too: sh -c, eval

	Dirs    []string // where the statement being walked starts
	At      Origin
	via     []effect.Link
	Lang    syntax.LangVariant
	nested  int
	ways    ways
	Away    bool // it is for another machine
	Pipes   map[string]effect.Stream
	sinks   map[string]func(effect.Stream) // what reads a >(…), or a fifo
	Fifos   map[string]bool                // that mkfifo made
	Made    map[string][]effect.Stream     // what files hold that the command itself wrote
	several bool                           // a name in Made is one of many: x*
	fds     map[string]effect.Stream       // what the script opened for reading
	stdin   effect.Stream                  // of the statement being walked, for the substitutions in it
	stained []string                       // programs in the variables of the word being folded
	branch  int                            // branches, loops and && around what is walked
	left    *[]*State                      // what is known where the loop or function is left
	calling []string                       // functions on the way, against endless recursion

	Discreet bool // what is read now is used, not shown
	unlocked bool // a file of secrets was read into variables
	captured int  // what is printed now goes to a program or a file, not to the terminal
}

// Origin says where in the request the text is that is being walked.
type Origin struct {
	Field  string
	Index  int
	Name   string      // of a variable of the request
	offset int         // of the text in the source field, when mapped
	mapped bool        // positions of the text are positions of the source
	Whole  effect.Span // what to point at when they are not
	text   string
}

func (o Origin) span(n syntax.Node) effect.Span {
	if !o.mapped {
		return o.Whole
	}
	return o.clamp(offsets(n))
}

// clamp moves a range of the text into the source. Nodes that the parser made
// up to recover from an error have no place, or an end before their start.
func (o Origin) clamp(start, end int) effect.Span {
	limit := o.Whole.End
	start = min(o.offset+start, limit)
	return effect.Span{Start: start, End: min(max(o.offset+end, start), limit)}
}

// nodes are those of one kind in a tree.
func nodes[T syntax.Node](tree syntax.Node) iter.Seq[T] {
	return func(yield func(T) bool) { has(tree, func(n T) bool { return !yield(n) }) }
}

// has reports a node in a tree that f accepts.
func has[T syntax.Node](tree syntax.Node, f func(n T) bool) (found bool) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		t, ok := n.(T)
		found = found || ok && f(t)
		return !found
	})
	return found
}

func all[E any](list []E, f func(e E) bool) bool {
	return !slices.ContainsFunc(list, func(e E) bool { return !f(e) })
}

// Spend counts work. It reports whether any is left.
func (w *Walker) Spend(n int) bool {
	if w.Stopped {
		return false
	}
	if w.Steps += n; w.Steps > w.Limit {
		w.Stop(effect.ProblemBudget)
	}
	return !w.Stopped
}

// Lines are the lines of a text while any work is left, of which each is some.
func (w *Walker) Lines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(text, "\n") {
			if !w.Spend(1) || !yield(line) {
				return
			}
		}
	}
}

// Stop ends the walk with a problem.
func (w *Walker) Stop(problem string) {
	if !w.Stopped {
		w.Stopped = true
		w.Emit(effect.Effect{Kind: effect.Problem, Name: problem, Span: w.At.Whole})
	}
}

// Emit writes an effect down, with the chain of constructs that led to it. When
// the budget is used up, a loop that goes on adds a few at most.
func (w *Walker) Emit(e effect.Effect) {
	if w.Stopped && len(w.Effects) > w.Limit {
		return
	}
	e.Via = slices.Clone(w.via)
	if e.Source.Field == "" {
		e.Source = effect.Source{Field: w.At.Field, Index: w.At.Index, Name: w.At.Name}
	}
	if e.Kind == effect.Exec {
		e.Means = w.Programs.Means(w, &e)
	}
	if w.keeps == nil || w.Stopped && e.Kind == effect.Problem || w.keeps(&e) {
		w.Effects = append(w.Effects, e)
	}
	if w.Spend(1) && e.Kind == effect.Env { // every rule looks at it
		w.Programs.Variable(w, &e)
	}
}

// Keeping drops the effects that f doesn't want, until restore is called.
func (w *Walker) Keeping(f func(*effect.Effect) bool) (restore func()) {
	outer := w.keeps
	w.keeps = func(e *effect.Effect) bool { return f(e) && (outer == nil || outer(e)) }
	return func() { w.keeps = outer }
}

// Supposing is around the walk of text that may be no code at all: of what it would do, only
// effects are written down.
func (w *Walker) Supposing() (leave func()) {
	made, opaque, inner := w.Made, w.Opaque, w.Inner
	w.Made = maps.Clone(made)
	return func() { w.Made, w.Opaque, w.Inner = made, opaque, inner }
}

// EmitAt is emit for an effect of one argument.
func (w *Walker) EmitAt(a effect.Arg, e effect.Effect) {
	e.Span = a.Span
	e.Source = effect.Source{Field: w.At.Field, Index: a.Index, Name: w.At.Name}
	w.Emit(e)
}

// Back takes off a level that Deeper counted.
func (w *Walker) Back() { w.nested-- }

// Inside is around the walk of code in an argument.
func (w *Walker) Inside(a effect.Arg) (leave func()) {
	rise := w.Nest()
	move := w.Stand(Origin{Field: w.At.Field, Name: w.At.Name, Index: a.Index, Whole: a.Span})
	if a.Exact {
		w.At.mapped, w.At.offset = true, a.Span.Start+a.Shift
	}
	return func() {
		move()
		rise()
	}
}

// Nest is around the walk of code of another kind.
func (w *Walker) Nest() (leave func()) {
	if w.nested++; w.nested > maxNested {
		w.Stop(effect.ProblemDepth)
	}
	return w.Back
}

// Stand is around the walk of text from elsewhere.
func (w *Walker) Stand(at Origin) (leave func()) {
	outer := w.At
	w.At = at
	return func() { w.At = outer }
}

// During marks what is being judged, so that it is not judged inside of itself.
func (w *Walker) During(what string) (leave func()) {
	w.calling = append(w.calling, what)
	return func() { w.calling = w.calling[:len(w.calling)-1] }
}

// Busy reports what During marks at the moment.
func (w *Walker) Busy(what string) bool { return slices.Contains(w.calling, what) }

// Here is text that has no place of its own in what is walked.
func (w *Walker) Here(text string) effect.Arg {
	return effect.Arg{Text: text, Index: w.At.Index, Span: w.At.Whole}
}

// Enter puts a construct on the chain; the returned function takes it off.
func (w *Walker) Enter(construct, text string, span effect.Span) func() {
	if len(text) > argv.MaxLink {
		text = strings.ToValidUTF8(text[:argv.MaxLink], "") + "…"
	}
	w.via = append(w.via, effect.Link{
		Construct: construct, Text: strings.ReplaceAll(text, effect.Unknown, "…"),
		Span: span,
	})
	return func() { w.via = w.via[:len(w.via)-1] }
}

// each runs f once for every way the words in it may fold, on a state of its
// own, and joins what comes out. Nearly always that is once.
func (w *Walker) each(st *State, f func(st *State) effect.Stream) effect.Stream {
	if !st.ambiguous() {
		return f(st)
	}
	defer func(outer ways) { w.ways = outer }(w.ways)
	var joined *State
	var out effect.Stream
	for w.ways = (ways{all: 1}); w.ways.now < w.ways.all && w.Spend(1); w.ways.now++ {
		branch := st.Clone()
		got := f(branch)
		if joined == nil {
			joined, out = branch, got
			continue
		}
		joined.join(branch)
		out = effect.Either(out, got)
	}
	if joined != nil {
		st.become(joined)
	}
	return out
}
