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
	kindText                    // the request as written, once: name is its field, text all of it
	kindCommand                 // one command of a chain as written: name says what it is
	kindClosed                  // the policy lets nothing run: text says why
	kindHook                    // a program that the option or variable name starts; inside is the workspace's own
	kindHidden                  // code in language name that other code decodes or puts together
	kindShell                   // a shell handed over to whoever is at the other end
	kindDump                    // the whole environment is printed
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
	maybe     bool     // only if the cd before failed
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
	many  bool     // may be no word at run time, or many
}

// stream is what a command prints, as far as it can be told.
type stream struct {
	text  string   // may hold unknown
	open  bool     // something is connected; false is the terminal or /dev/null
	maybe bool     // may not be what is connected
	file  bool     // comes straight from a file
	from  []string // the programs it went through
	err   string   // what went to the error output instead
	pos   *int     // how much was read, shared by all who read from it
}

// rest is what nobody read yet.
func (s stream) rest() string {
	if s.pos == nil {
		return s.text
	}
	return s.text[min(*s.pos, len(s.text)):]
}

var somewhere = stream{text: unknown, open: true}
