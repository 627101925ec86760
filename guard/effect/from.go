package effect

import (
	"slices"
	"strings"
)

// Foreign reports output that can't be read before it runs: it came over the network, or
// out of a decoder.
func Foreign(from []string) bool { return Fetched(from) || Decoded(from) }

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

// Lists of programs, blanks between them.
const (
	// Downloaders print what came over the network.
	Downloaders = "curl wget fetch aria2c axel lwp-download lwp-request GET w3m http https xh nc ncat netcat socat ssh " +
		"ftp lynx openssl"
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
