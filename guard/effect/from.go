package effect

import (
	"slices"
	"strings"
)

// Foreign reports output that nobody could read before it runs: it came over the
// network, or out of a decoder.
func Foreign(from []string) bool { return Fetched(from) || Decoded(from) }

// Fetched reports output of a program that reads the network.
func Fetched(from []string) bool {
	return slices.ContainsFunc(from, func(p string) bool { return slices.Contains(Downloaders, p) })
}

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

// Downloaders print what came over the network.
var Downloaders = []string{
	"curl", "wget", "fetch", "aria2c", "axel", "lwp-download", "lwp-request", "GET", "w3m",
	"http", "https", "xh", "nc", "ncat", "netcat", "socat", "ssh", "ftp", "lynx", "openssl",
}

// Dumpers print every variable; packers put many files in one; encoders make
// anything fit into an address.
var (
	Dumpers  = []string{"env", "genv", "printenv", "export", "declare"}
	Packers  = []string{"tar", "gtar", "bsdtar", "zip", "7z", "cpio"}
	Encoders = []string{
		"base64", "base32", "xxd", "od", "hexdump", "openssl", "gzip", "tar", "zip", "env", "printenv",
		"whoami", "id", "hostname", "ifconfig", "ip", "uuencode",
	}
	// Makers write text for a request themselves.
	Makers = []string{
		"jq", "yq", "gojq", "echo", "printf", "envsubst", "python", "python3", "node", "date",
		"uuidgen", "seq",
	}
)

// AnyOf reports that one of the programs is in the list.
func AnyOf(from, list []string) bool {
	return slices.ContainsFunc(from, func(p string) bool { return slices.Contains(list, p) })
}

// SecretNames, in the programs a text came from, says that the text lists files
// that are secret by their names: `find . -name .env | xargs cat`.
const SecretNames = "secret names"

// remembered reports the programs that a long pipeline must not make forget:
// what they print decides what may become of it.
func remembered(name string) bool {
	return slices.Contains(Downloaders, name) || slices.Contains(Dumpers, name) || slices.Contains(Packers, name) ||
		name == SecretNames
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
