// Package effect is what a command would do, one Effect for each thing, and what
// effects are made of: the words of a command, what programs print, and where both
// came from. It knows no shell, no program and no rule.
package effect

import (
	"slices"
	"strings"
)

// Runs reports that e starts one of the programs.
func (e *Effect) Runs(names ...string) bool {
	return e.Kind == Exec && slices.Contains(names, e.Name)
}

// PrintsAll is the meaning of a program that prints every variable.
const PrintsAll = "prints-all"

// Is reports a meaning of what e does: of a program, or of text that only one
// purpose explains.
func (e *Effect) Is(meaning string) bool {
	return slices.Contains(e.Means, meaning) || e.Kind == Marked && e.Name == meaning
}

// IsAny reports one of the meanings.
func (e *Effect) IsAny(meanings string) bool { return Any(meanings, e.Is) }

// Kind is what a command would do; rules look at nothing else, so that a later
// source of effects (a real argv at execve time) needs no shell text.
type Kind uint8

const (
	Exec    Kind = iota + 1 // run a program: name, args
	Read                    // look at a path
	Write                   // create or change a path
	Delete                  // remove a path
	Env                     // set a variable for a program: name, text
	Code                    // code in language name that cannot be seen
	Bomb                    // processes, or a file, that grow without end
	Net                     // talk to a host: name is the program, text the host
	Secret                  // print credentials: name says from where
	Data                    // destroy what a database holds
	Problem                 // the guard could not read on: name says why
	Text                    // the request as written, once: name is its field, text all of it
	Command                 // one command of a chain as written: name says what it is
	Closed                  // the policy lets nothing run: text says why
	Hook                    // a program that the option or variable name starts; inside is the workspace's own
	Hidden                  // code in language name that other code decodes or puts together
	Shell                   // a shell handed over to somebody at the other end
	Dump                    // the whole environment is printed
	Marked                  // text that only one purpose explains: name is the rule's id
)

// Effect is one thing a command would do, with where the text says so.
type Effect struct {
	Kind Kind
	Name string // program, variable, language or problem
	Args []Arg  // of Exec, without the program
	// Means are what a program is asked to do: ids of rules, and words that rules ask for.
	Means []string
	Text  string // as written after folding, for messages

	Path      string   // resolved, of read, write, delete and of programs run by path
	Inside    bool     // path is in the workspace or an allowed place
	Unknown   bool     // the path or program is known only at run time
	Recursive bool     // a delete that descends, a read that may turn out to be a write
	Maybe     bool     // only if the cd before failed
	From      []string // the programs that the code, the path or the data came from
	Discreet  bool     // of a read or a dump: the content is used, not shown
	Sends     string   // of Net: what goes out

	Source Source
	Span   Span
	Via    []Link
}

// MaxBytes is the most shell text, or argv added up, that is judged at all.
const MaxBytes = 65536

// Problems that end the judging of a text.
const (
	ProblemSize     = "size"     // more than MaxBytes
	ProblemBytes    = "bytes"    // control, bidi or zero-width characters, not UTF-8
	ProblemSyntax   = "syntax"   // the parser gave up
	ProblemOpaque   = "opaque"   // the parser and the shells read it differently
	ProblemNesting  = "nesting"  // too deep to parse safely
	ProblemDepth    = "depth"    // shells in shells beyond the limit
	ProblemBudget   = "budget"   // too much to walk
	ProblemInput    = "input"    // neither or both of command and argv
	ProblemInternal = "internal" // a bug of ours
)

// Span is a range of bytes in a source field; End is exclusive.
type Span struct{ Start, End int }

// Source is the field of the request a Span lies in.
type Source struct {
	Field string // "command", "argv", "commands" or "env"
	Index int    // of argv and commands
	Name  string // of env
}

// Link is one construct on the way to an effect: `bash -c`, `$(…)`, a function.
type Link struct {
	Construct string // what wraps, e.g. "sh -c"
	Text      string // what it wraps, shortened
	Span      Span   // in the same source field as the finding's
}

// Foreign reports output that can't be read before it runs: it came over the network, or
// out of a decoder.
func Foreign(from []string) bool { return Fetched(from) || Decoded(from) }

// Rewritten, in the programs a text came from, says that one of them was given a text of the
// command and made something else of it: sed 's/@/rm/' <<< '@ -rf x'.
const Rewritten = "rewritten"

// Unread reports output that nobody could read before it runs, or was kept from reading.
func Unread(from []string) bool { return Foreign(from) || slices.Contains(from, Rewritten) }

// Fetched reports output of a program that reads the network.
func Fetched(from []string) bool { return AnyOf(from, Downloaders) }

// Decoded reports output of a program that decodes.
func Decoded(from []string) bool {
	return slices.ContainsFunc(from, func(p string) bool { return strings.HasSuffix(p, Decoding) })
}

// Decoding marks, among the programs an output went through, one that turned
// text back that was not readable before.
const Decoding = " -d"

// Initial marks output that is meant to be evaluated.
const Initial = " (init)"

// Initialised reports output that its program prints to be evaluated.
func Initialised(from []string) bool {
	return !Foreign(from) && slices.ContainsFunc(from, func(p string) bool { return strings.HasSuffix(p, Initial) })
}

// ParentProcess, in the programs a text came from, says that the text is the
// number of the process that started this shell.
const ParentProcess = "parent process"

// Production says that it is of a variable of the environment whose name says so: $PROD_URL.
const Production = "production"

// Mailbox says that of a variable for where people are written to: $SLACK_WEBHOOK_URL; and
// Address of one for where something is that is not said: $MONGO_URI.
const (
	Mailbox = "mailbox"
	Address = "address"
)

// Lists of programs, blanks between them.
const (
	// Downloaders print what came over the network.
	Downloaders = "curl wget fetch aria2c axel lwp-download lwp-request GET w3m http https xh nc ncat netcat socat ssh " +
		"ftp lynx openssl dig nslookup drill"
	// Dumpers print every variable; packers put many files in one; encoders make
	// anything fit into an address.
	Dumpers  = "env genv printenv export declare"
	Packers  = "tar gtar bsdtar zip 7z cpio"
	Encoders = "base64 base32 xxd od hexdump openssl gzip tar zip env printenv whoami id hostname ifconfig ip uuencode"
	// Makers write text for a request themselves.
	Makers = "jq yq gojq echo printf envsubst python python3 node date uuidgen seq"
)

// AnyOf reports that one of the programs is in the list.
func AnyOf(from []string, list string) bool {
	return slices.ContainsFunc(from, func(p string) bool { return Among(p, list) })
}

// SecretNames, in the programs a text came from, says that the text lists files
// that are secret by their names: `find . -name .env | xargs cat`.
const SecretNames = "secret names"

// remembered reports the programs that a long pipeline must not make forget:
// what they print decides what may become of it.
func remembered(name string) bool {
	return Among(name, Downloaders) || Among(name, Dumpers) || Among(name, Packers) || name == SecretNames
}

// Mixed adds programs to the ones an output went through, each once.
func Mixed(from []string, more ...string) []string {
	from = slices.Clip(from)
	for _, name := range more {
		if !slices.Contains(from, name) && (len(from) < 32 || remembered(name)) {
			from = append(from, name)
		}
	}
	return from
}

// EncodedCode is the language of Code that Windows shells are given encoded.
const EncodedCode = "encoded powershell"

// SomeFile stands for whatever find meets below its start.
const SomeFile = "/x" + Unknown

// EndlessWrite is a Bomb that grows a file instead of processes.
const EndlessWrite = "endless write"

// EndlessInput is a Bomb that fills memory or disk with what never ends.
const EndlessInput = "endless input"

// What a command sends, from the harmless to the worst. The empty word is a request, or
// text of the command.
const (
	SendsFile        = "a file"
	SendsOutput      = "another command's output"
	SendsEncoded     = "encoded data in the address"
	SendsProject     = "the whole project"
	SendsEnvironment = "the environment"
	SendsShell       = "a shell"
	OpensTunnel      = "a tunnel"
	Waits            = "a listener"
	ChangesThere     = "a command that changes another machine"
)

// The names of Command effects. Only "command" is a program with its arguments; the others
// run no program, or one that is written down by itself.
const (
	WrittenCommand  = "command"
	WrittenAssign   = "assignment"
	WrittenShell    = "shell"    // [[ ]], (( )), declare, time, a redirection without a command
	WrittenFunction = "function" // only made known: its body is judged when it is called
)
