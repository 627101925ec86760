package guard

// kind is what a command would do; rules look at nothing else, so that a later
// source of effects (a real argv at execve time) needs no shell text.
type kind uint8

const (
	kindExec    kind = iota + 1 // run a program: name, args
	kindRead                    // look at a path
	kindWrite                   // create or change a path
	kindDelete                  // remove a path
	kindEnv                     // set a variable for a program: name, text
	kindCode                    // code in language name that cannot be seen
	kindBomb                    // processes, or a file, that grow without end
	kindNet                     // talk to a host: name is the program, text the host
	kindSecret                  // print credentials: name says from where
	kindData                    // destroy what a database holds
	kindProblem                 // the guard could not read on: name says why
)

// effect is one thing a command would do, with where the text says so.
type effect struct {
	kind kind
	name string // program, variable, language or problem
	args []arg  // of kindExec, without the program
	text string // as written after folding, for messages

	path      string   // resolved, of read, write, delete and of programs run by path
	inside    bool     // path is in the workspace or an allowed place
	unknown   bool     // the path or program is known only at run time
	recursive bool     // a delete that descends
	from      []string // the programs that the code, the path or the data came from
	discreet  bool     // of a read or a dump: the content is used, not shown
	sends     string   // of kindNet: what goes out

	source Source
	span   Span
	via    []Link
}

// unknown marks, inside a folded word, a run of text that only exists at run
// time. The byte filter keeps it out of shell text; where it still appears
// (a literal \001), that text counts as unknown.
const unknown = "\x01"

// arg is one word after folding, with its place in the source.
type arg struct {
	text  string
	index int // argv element, 0 in shell text
	span  Span
	exact bool // text is the source at span.Start+shift, byte for byte
	shift int
	from  []string // programs whose output is in the text
}

// stream is what a command prints, as far as it can be told.
type stream struct {
	text string   // may hold unknown
	open bool     // something is connected; false is the terminal or /dev/null
	file bool     // comes straight from a file
	from []string // the programs it went through
}

var somewhere = stream{text: unknown, open: true}
