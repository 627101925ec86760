package guard

import (
	"slices"
	"strings"
)

// What a command sends, from the harmless to the worst. The empty word is a
// request, or text that stands in the command.
const (
	sendsFile        = "a file"
	sendsOutput      = "another command's output"
	sendsEncoded     = "encoded data in the address"
	sendsProject     = "the whole project"
	sendsEnvironment = "the environment"
	sendsShell       = "a shell"
	opensTunnel      = "a tunnel"
	waits            = "a listener"
	changesThere     = "a command that changes another machine"
)

// netHandlers are programs that talk to other machines().
func netHandlers() map[string]handler {
	return map[string]handler{
		"curl": curl, "wget": wget, "http": httpie, "https": httpie, "xh": httpie,
		"nc": netcat, "ncat": netcat, "netcat": netcat, "telnet": netcat, "socat": socat, "ssh": ssh, "autossh": ssh, "scp": transfer, "rsync": transfer, "sftp": upload, "ftp": upload, "lftp": upload, "tftp": upload,
		"dig": lookup, "nslookup": lookup, "host": lookup, "ping": lookup, "getent": lookup, "drill": lookup, "openssl": openssl,
	}
}

// passed is what a program prints that read in.
func passed(in stream, name string) stream {
	return stream{text: unknown, open: true, from: mixed(in.from, name)}
}

// send writes down that a program sends something to a host.
func (w *walker) send(a arg, program, host, sends string, from []string) {
	w.emitAt(a, effect{
		kind: kindNet, name: program, text: host, sends: sends, from: from,
		inside: localHost(host) || slices.Contains(webClients, program) && service(host), unknown: strings.Contains(host, unknown),
	})
}

// dumpers print every variable; packers put many files in one; encoders make
// anything fit into an address.
var (
	dumpers  = []string{"env", "genv", "printenv", "export", "declare"}
	packers  = []string{"tar", "gtar", "bsdtar", "zip", "7z", "cpio"}
	encoders = []string{"base64", "base32", "xxd", "od", "hexdump", "openssl", "gzip", "tar", "zip", "env", "printenv", "whoami", "id", "hostname", "ifconfig", "ip", "uuencode"}
	// makers write text for a request themselves.
	makers = []string{"jq", "yq", "gojq", "echo", "printf", "envsubst", "python", "python3", "node", "date", "uuidgen", "seq"}
)

func anyOf(from, list []string) bool {
	return slices.ContainsFunc(from, func(p string) bool { return slices.Contains(list, p) })
}

// cargo says what flows out of in.
func cargo(in stream) string {
	switch {
	case anyOf(in.from, dumpers):
		return sendsEnvironment
	case anyOf(in.from, packers):
		return sendsProject
	case !in.open || !strings.Contains(in.text, unknown):
		return ""
	case len(in.from) == 0:
		return sendsFile
	case slices.Contains(makers, in.from[len(in.from)-1]):
		return ""
	}
	return sendsOutput
}

// worse is the worse of two things sent.
func worse(a, b string) string {
	order := []string{"", sendsFile, sendsOutput, sendsEncoded, sendsProject, sendsEnvironment, sendsShell}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// parcel collects what one request carries.
type parcel struct {
	w     *walker
	st    *state
	in    stream
	sends string
	from  []string
}

// file is a file, or standard input as "-", that is sent as it is.
func (p *parcel) file(a arg, name string, body bool) {
	if name == "-" || name == "." {
		p.sends, p.from = worse(p.sends, cargo(p.in)), mixed(p.from, p.in.from...)
		return
	}
	a.text, a.exact = name, false
	if s, ok := p.w.pipes[name]; ok {
		p.sends = worse(p.sends, cargo(through(s)))
		return
	}
	p.w.path(p.st, kindRead, a)
	if !body || !requestBody(name) {
		p.sends = worse(p.sends, sendsFile)
	}
}

// text is a value that stands in the command.
func (p *parcel) text(a arg) {
	if len(a.from) == 0 {
		return
	}
	switch {
	case anyOf(a.from, dumpers):
		p.sends = worse(p.sends, sendsEnvironment)
	case anyOf(a.from, encoders):
		p.sends = worse(p.sends, sendsEncoded)
	}
}
