package net

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// requestBodies are the ends of files that are written to be sent: the JSON of a request.
const requestBodies = ".json .xml .graphql .gql .ndjson .form .yaml .yml .query .hurl .avsc"

func curl(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) {
	opts, urls := program.MustSpec("curl").Options(args[1:])
	p := Parcel{W: w, St: st, In: in}
	for _, o := range opts {
		switch o.Name {
		case "-d", "--data", "--data-ascii", "--json", "--data-binary", "--data-urlencode", "--url-query":
			if name, ok := strings.CutPrefix(o.Value.Text, "@"); ok {
				p.File(o.Value, name, true)
			} else if _, name, ok := strings.Cut(o.Value.Text, "@"); ok && o.Name == "--data-urlencode" &&
				!strings.Contains(o.Value.Text, "=") {
				p.File(o.Value, name, true)
			} else {
				p.text(o.Value)
			}
		case "-F", "--form":
			if _, name, ok := strings.Cut(o.Value.Text, "="); ok && name != "" && (name[0] == '@' || name[0] == '<') {
				name, _, _ = strings.Cut(name[1:], ";")
				p.File(o.Value, name, false)
			} else {
				p.text(o.Value)
			}
		case "-T", "--upload-file":
			p.File(o.Value, o.Value.Text, false)
		case "-H", "--header", "-b", "--cookie":
			if name, ok := strings.CutPrefix(o.Value.Text, "@"); ok {
				p.File(o.Value, name, true)
			} else if o.Name != "-H" && o.Name != "--header" && !strings.Contains(o.Value.Text, "=") && o.Value.Text != "" &&
				!strings.Contains(o.Value.Text, effect.Unknown) {
				w.Path(st, effect.Read, o.Value) // a cookie jar
			}
			p.text(o.Value)
		case "--data-raw", "--form-string", "-A", "--user-agent", "-e":
			p.text(o.Value)
		case "-K", "--config":
			curlConfig(w, st, o.Value, in)
		case "--url":
			urls = append(urls, o.Value)
		case "--unix-socket", "--abstract-unix-socket":
			if !asksOnly(opts, urls) || !place.Socket(o.Value.Text) {
				w.Path(st, effect.Write, o.Value)
			}
		case "--resolve", "--connect-to": // the name is another address
			for part := range strings.SplitSeq(strings.ReplaceAll(o.Value.Text, ",", ":"), ":") {
				if place.Metadata(part) {
					run.Send(w, o.Value, "curl", part, "", nil)
				}
			}
		}
	}
	for _, u := range urls {
		if strings.HasPrefix(u.Text, "file://") { // printed, like cat
			w.Path(st, effect.Read, u)
		}
	}
	Request(w, "curl", urls, p)
}

// asksOnly is a request that only asks a daemon which one it is.
func asksOnly(opts []argv.Option, urls []effect.Arg) bool {
	about := func(u effect.Arg) bool { return effect.Ends(u.Text, "/version /_ping /info") }
	if slices.ContainsFunc(urls, func(u effect.Arg) bool { return !about(u) }) {
		return false
	}
	return !argv.Any(opts, "-X", "--request", "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json",
		"-F", "--form", "-T", "--upload-file", "-K", "--config")
}

// Request writes down one effect for each address.
func Request(w *shell.Walker, program string, urls []effect.Arg, p Parcel) {
	for _, u := range urls {
		sends := p.sends
		if effect.AnyOf(u.From, effect.Encoders) && strings.Contains(u.Text, effect.Unknown) &&
			!strings.HasPrefix(u.Text, effect.Unknown) {
			sends = worse(sends, effect.SendsEncoded)
		}
		run.Send(w, u, program, place.HostOf(u.Text), sends, p.from)
	}
}

func wget(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) {
	opts, urls := program.MustSpec("wget").Options(args[1:])
	p := Parcel{W: w, St: st, In: in}
	for _, o := range opts {
		switch o.Name {
		case "--post-file", "--body-file":
			p.File(o.Value, o.Value.Text, true)
		case "--post-data", "--body-data", "--header", "-U", "--user-agent":
			p.text(o.Value)
		}
	}
	Request(w, "wget", urls, p)
}

// httpie names files as field@file, field=@file and, on standard input, the body.
func httpie(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	_, operands := program.MustSpec(name).Options(args[1:])
	p := Parcel{W: w, St: st, In: in}
	if in.File || in.Open && len(in.From) > 0 {
		p.File(args[0], "-", false)
	}
	var urls []effect.Arg
	for _, o := range operands {
		switch at := strings.IndexByte(o.Text, '@'); {
		case strings.ToUpper(o.Text) == o.Text && strings.Trim(o.Text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "", // the method
			len(urls) == 0 && slices.Contains([]string{"get", "head", "post", "put", "patch", "delete", "options"}, o.Text):
		case len(urls) == 0:
			if strings.HasPrefix(o.Text, ":") { // :3000/login is of this machine
				o = o.Tail("localhost" + o.Text)
			}
			urls = append(urls, o)
		case at >= 0:
			p.File(o, o.Text[at+1:], at == 0 || o.Text[at-1] == '=')
		}
	}
	Request(w, name, urls, p)
	return effect.Passed(in, name)
}

// postsMessage is a request to another machine that is not a GET, a question in GraphQL or a
// try of one of the hosts that send everything back; and any to where people are written to.
func postsMessage(_ *shell.Walker, e *effect.Effect) bool {
	if !e.Runs(place.WebClients...) && e.Name != "curlie" {
		return false
	}
	m := program.Of(e.Name)
	if m == nil {
		m = program.Of("curl")
	}
	opts, urls := m.Spec.Options(e.Args)
	method, body := "", false
	for _, o := range opts {
		switch {
		case argv.Named(o, "--url"):
			urls = append(urls, o.Value)
		case argv.Named(o, "-X", "--request", "--method") && o.Valued:
			method = o.Value.Text
		case argv.Named(o, "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "-F", "--form",
			"--post-data", "--post-file", "--body-data", "--body-file"):
			body = !argv.Any(opts, "-G", "--get")
		}
	}
	for _, u := range urls {
		if strings.HasPrefix(e.Name, "http") || e.Name == "xh" {
			if verb := strings.ToUpper(u.Text); effect.Among(verb, "GET HEAD OPTIONS POST PUT PATCH DELETE") {
				method = verb
			}
			name, value, item := strings.Cut(u.Text, "=")
			body = body || item && !strings.ContainsAny(name, "/?") && !strings.HasPrefix(value, "=")
		}
	}
	return Posts(method, body, e.Args, urls)
}

// Posts judges a request by its method, whether it has a body, and all that it is told.
func Posts(method string, body bool, args, urls []effect.Arg) bool {
	changes := method == "" && body || method != "" && !effect.Among(strings.ToUpper(method), "GET HEAD OPTIONS")
	asks := argv.AnyText(args, func(s string) bool {
		return strings.Contains(s, "query") && !strings.Contains(s, "mutation")
	})
	if changes && effect.AnyOf(effect.Origins(urls), effect.Mailbox+" "+effect.Production) {
		return true
	}
	return argv.AnyText(urls, func(u string) bool {
		_, rest, ok := strings.Cut(u, "://")
		if !ok {
			rest = u
		}
		to := func(place string) bool { return strings.HasPrefix(strings.ToLower(rest), place) }
		host := place.HostOf(u)
		return slices.ContainsFunc(place.Listed("mailboxes"), to) || strings.HasSuffix(host, ".webhook.office.com") ||
			changes && place.Elsewhere(host) && strings.Contains(host, ".") && !strings.Contains(host, "httpbin") &&
				!(asks && strings.HasSuffix(rest, "/graphql"))
	})
}
