package guard

import (
	"path"
	"slices"
	"strings"
)

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
		case "-K", "--config":
			w.curlConfig(st, o.value, in)
		case "--url":
			urls = append(urls, o.value)
		}
	}
	for _, u := range urls {
		if strings.HasPrefix(u.text, "file://") { // printed, like cat
			w.path(st, kindRead, u)
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
	_, operands := httpieSpec.options(args[1:])
	p := parcel{w: w, st: st, in: in}
	if in.file || in.open && len(in.from) > 0 {
		p.file(args[0], "-", false)
	}
	var urls []arg
	for _, o := range operands {
		switch at := strings.IndexByte(o.text, '@'); {
		case strings.ToUpper(o.text) == o.text && strings.Trim(o.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "", // the method
			len(urls) == 0 && slices.Contains([]string{"get", "head", "post", "put", "patch", "delete", "options"}, o.text):
		case len(urls) == 0:
			urls = append(urls, o)
		case at >= 0:
			p.file(o, o.text[at+1:], at == 0 || o.text[at-1] == '=')
		}
	}
	w.request(name, urls, p)
	return passed(in, name)
}

var httpieSpec = newSpec(":::", "-a: --auth: -o: --output: -A: --auth-type: --session: -p: --print: --timeout: --proxy: --verify: --cert: --cert-key: -s: --style:")
