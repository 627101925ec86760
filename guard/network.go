package guard

import (
	"net/netip"
	"path"
	"slices"
	"strconv"
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
)

// netHandlers are programs that talk to other machines.
var netHandlers = map[string]handler{
	"curl": curl, "wget": wget, "http": httpie, "https": httpie, "xh": httpie,
	"nc": netcat, "ncat": netcat, "netcat": netcat, "telnet": netcat, "socat": socat, "ssh": ssh, "autossh": ssh, "scp": transfer, "rsync": transfer, "sftp": upload, "ftp": upload, "lftp": upload, "tftp": upload,
	"dig": lookup, "nslookup": lookup, "host": lookup, "ping": lookup, "drill": lookup, "openssl": openssl,
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

// requestBody reports files that are written to be sent: the JSON of a request.
func requestBody(name string) bool {
	return slices.Contains([]string{".json", ".xml", ".graphql", ".gql", ".ndjson", ".form", ".yaml", ".yml", ".query", ".hurl", ".avsc"}, path.Ext(name))
}

var curlSpec = newSpec("???", "-o: --output: --output-dir: -T: --upload-file: -K: --config: -d: --data: --data-raw: --data-binary: --data-urlencode: --data-ascii: --json: -F: --form: --form-string: -H: --header: -X: --request: -u: --user: -A: --user-agent: -e: --referer: -b: --cookie: -c: --cookie-jar: -m: --max-time: --connect-timeout: --retry: --retry-delay: --retry-max-time: -w: --write-out: -x: --proxy: -r: --range: --cacert: --capath: --cert: -E: --key: --key-type: --cert-type: --pass: -D: --dump-header: --resolve: --connect-to: --url: --max-redirs: --limit-rate: --interface: --unix-socket: -Q: --quote: -C: --continue-at: -y: -Y: -z: --time-cond: -P: -t: --ciphers: --proto: --oauth2-bearer: --aws-sigv4: --stderr: --trace: --trace-ascii: --variable: --url-query: --dns-servers: --noproxy: --max-filesize:")

func curl(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "curl", args[1:])
	opts, urls := curlSpec.options(args[1:])
	p := parcel{w: w, st: st, in: in}
	for _, o := range opts {
		switch o.name {
		case "-d", "--data", "--data-ascii", "--json", "--data-binary", "--data-urlencode", "--url-query":
			if name, ok := strings.CutPrefix(o.value.text, "@"); ok {
				p.file(o.value, name, true)
			} else if _, name, ok := strings.Cut(o.value.text, "@"); ok && o.name == "--data-urlencode" && !strings.Contains(o.value.text, "=") {
				p.file(o.value, name, true)
			} else {
				p.text(o.value)
			}
		case "-F", "--form":
			if _, name, ok := strings.Cut(o.value.text, "="); ok && name != "" && (name[0] == '@' || name[0] == '<') {
				name, _, _ = strings.Cut(name[1:], ";")
				p.file(o.value, name, false)
			} else {
				p.text(o.value)
			}
		case "-T", "--upload-file":
			p.file(o.value, o.value.text, false)
		case "-H", "--header", "-b", "--cookie":
			if name, ok := strings.CutPrefix(o.value.text, "@"); ok {
				p.file(o.value, name, true)
			} else if o.name != "-H" && o.name != "--header" && !strings.Contains(o.value.text, "=") && o.value.text != "" && !strings.Contains(o.value.text, unknown) {
				w.path(st, kindRead, o.value) // a cookie jar
			}
			p.text(o.value)
		case "--data-raw", "--form-string", "-A", "--user-agent", "-e":
			p.text(o.value)
		case "--url":
			urls = append(urls, o.value)
		}
	}
	w.request("curl", urls, p)
	return passed(in, "curl")
}

// request writes down one effect for each address.
func (w *walker) request(program string, urls []arg, p parcel) {
	for _, u := range urls {
		sends := p.sends
		if anyOf(u.from, encoders) && strings.Contains(u.text, unknown) && !strings.HasPrefix(u.text, unknown) {
			sends = worse(sends, sendsEncoded)
		}
		w.send(u, program, hostOf(u.text), sends, p.from)
	}
}

var wgetSpec = newSpec("???", "-O: --output-document: -P: --directory-prefix: -o: -a: -i: --input-file: --header: --post-data: --post-file: --user-agent: -U: -t: -T: --body-data: --body-file: --load-cookies: --save-cookies: -A: -R: -e: --method: --tries: --timeout: -w: --wait: -Q: -l: --level: -D: --domains: --user: --password: --limit-rate: -B: --base: --certificate: --private-key: --ca-certificate:")

func wget(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "wget", args[1:])
	opts, urls := wgetSpec.options(args[1:])
	p := parcel{w: w, st: st, in: in}
	for _, o := range opts {
		switch o.name {
		case "--post-file", "--body-file":
			p.file(o.value, o.value.text, true)
		case "--post-data", "--body-data", "--header", "-U", "--user-agent":
			p.text(o.value)
		}
	}
	w.request("wget", urls, p)
	return passed(in, "wget")
}

// httpie names files as field@file, field=@file and, on standard input, the body.
func httpie(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	_, operands := newHTTPie.options(args[1:])
	p := parcel{w: w, st: st, in: in}
	if in.file || in.open && len(in.from) > 0 {
		p.file(args[0], "-", false)
	}
	var urls []arg
	for _, o := range operands {
		switch at := strings.IndexByte(o.text, '@'); {
		case strings.ToUpper(o.text) == o.text && strings.Trim(o.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "": // the method
		case len(urls) == 0:
			urls = append(urls, o)
		case at >= 0:
			p.file(o, o.text[at+1:], at == 0 || o.text[at-1] == '=')
		}
	}
	w.request(name, urls, p)
	return passed(in, name)
}

var newHTTPie = newSpec(":::", "-a: --auth: -o: --output: -A: --auth-type: --session: -p: --print: --timeout: --proxy: --verify: --cert: --cert-key: -s: --style:")

var netcatSpec = newSpec(":::", "-p: -w: -s: -q: -i: -x: -X: -I: -O: -T: -V: -e: -m: -g: -G: --exec: --sh-exec: --lua-exec: --proxy: --source-port: -o: --output: -P: -M:")

// netcat is nc and its kin: a bare connection, with what is fed to it.
func netcat(w *walker, st *state, args []arg, in stream) stream {
	name := base(args[0].text)
	opts, operands := netcatSpec.options(args[1:])
	host, sends := "", cargo(in)
	if len(operands) > 0 {
		host = operands[0].text
		if anyOf(operands[0].from, encoders) {
			sends = worse(sends, sendsEncoded)
		}
	}
	switch {
	case anyOption(opts, "-e", "--exec", "--sh-exec", "--lua-exec"), anyOption(opts, "-c") && slices.ContainsFunc(operands, func(a arg) bool { _, ok := dialects[base(a.text)]; return ok }):
		sends, host = sendsShell, orElse(host, "whoever connects")
	case anyOption(opts, "-l", "--listen"):
		sends, host = waits, "whoever connects"
	case anyOption(opts, "-z", "-h", "--help", "--version"):
		sends = ""
	}
	w.send(args[0], name, host, sends, in.from)
	return passed(in, name)
}

// socat joins two addresses: TCP:host:port, EXEC:sh, FILE:x.
func socat(w *walker, st *state, args []arg, in stream) stream {
	_, operands := newSpec(":::", "-b: -t: -T: -lf: -lp: -L: -W: -r: -R:").options(args[1:])
	host, sends, runs := "", "", false
	for _, a := range operands {
		kindOf, rest, _ := strings.Cut(a.text, ":")
		kindOf = strings.ToUpper(kindOf)
		switch {
		case kindOf == "EXEC" || kindOf == "SYSTEM" || kindOf == "SHELL":
			runs = true
		case strings.HasSuffix(kindOf, "-LISTEN") || strings.HasSuffix(kindOf, "-L"):
			host = orElse(host, "whoever connects")
		case strings.HasPrefix(kindOf, "TCP"), strings.HasPrefix(kindOf, "UDP"), strings.HasPrefix(kindOf, "OPENSSL"), strings.HasPrefix(kindOf, "SSL"), strings.HasPrefix(kindOf, "SOCKS"), strings.HasPrefix(kindOf, "PROXY"):
			host, _, _ = strings.Cut(rest, ":")
		case kindOf == "FILE" || kindOf == "OPEN" || kindOf == "GOPEN":
			a.text, _, _ = strings.Cut(rest, ",")
			a.exact = false
			w.path(st, kindRead, a)
			sends = worse(sends, sendsFile)
		case a.text == "-" || kindOf == "STDIN" || kindOf == "STDIO":
			sends = worse(sends, cargo(in))
		}
	}
	if runs && host != "" {
		sends = sendsShell
	}
	w.send(args[0], "socat", host, sends, in.from)
	return passed(in, "socat")
}

// lookup is a question to the name service: a name made of a command's output
// carries it to whoever owns the domain.
func lookup(w *walker, _ *state, args []arg, in stream) stream {
	name := base(args[0].text)
	for _, a := range args[1:] {
		if len(a.from) > 0 && strings.Contains(a.text, unknown+".") {
			w.send(a, name, a.text, sendsEncoded, a.from)
		}
	}
	return passed(in, name)
}

// openssl s_client is another netcat.
func openssl(w *walker, st *state, args []arg, in stream) stream {
	w.operands(st, "openssl", args[1:])
	if len(args) > 1 && args[1].text == "s_client" {
		for i, a := range args {
			if a.text == "-connect" && i+1 < len(args) {
				host, _, _ := strings.Cut(args[i+1].text, ":")
				w.send(args[i+1], "openssl s_client", host, cargo(in), in.from)
			}
		}
	}
	return passed(in, "openssl")
}

// hostOf is the host of an address, with or without a scheme.
func hostOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		url = url[:i]
	}
	url = url[strings.LastIndexByte(url, '@')+1:]
	if strings.HasPrefix(url, "[") {
		url, _, _ = strings.Cut(url[1:], "]")
		return url
	}
	host, _, _ := strings.Cut(url, ":")
	return strings.ToLower(host)
}

// webClients talk to the services of a compose file, whose names have no dot; to
// ssh such a name is an alias for any machine.
var webClients = []string{"curl", "wget", "http", "https", "xh"}

func service(host string) bool {
	return host != "" && !strings.ContainsAny(host, ".:"+unknown) && strings.Trim(host, "0123456789abcdefx") != ""
}

// localHost reports names of this machine.
func localHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	switch {
	case strings.Contains(host, unknown), host == "":
		return false
	case host == "localhost", host == "host.docker.internal":
		return true
	}
	for _, suffix := range [...]string{".localhost", ".local", ".test", ".internal", ".lan"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// metadata reports the addresses under which clouds hand out credentials, also
// written as one number.
func metadata(host string) bool {
	if n, err := strconv.ParseUint(host, 0, 32); err == nil {
		host = netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()
	}
	return slices.Contains([]string{"169.254.169.254", "169.254.170.2", "fd00:ec2::254", "100.100.100.200", "metadata.google.internal", "metadata", "metadata.azure.com", "::ffff:169.254.169.254"}, host)
}
