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

// postsMessage is a request to a host, with the beginning of the path, where it is a message
// to people, or one that is not a GET to a service where it changes what others see.
func postsMessage(_ *shell.Walker, e *effect.Effect) bool {
	if !e.Runs(place.WebClients...) {
		return false
	}
	opts, urls := program.MustSpec(e.Name).Options(e.Args)
	changes := false
	for _, o := range opts {
		switch {
		case argv.Named(o, "--url"):
			urls = append(urls, o.Value)
		case argv.Named(o, "-X", "--request", "--method"):
			changes = changes || o.Valued && !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, strings.ToUpper(o.Value.Text))
		case argv.Named(o, "-d", "--data", "--data-raw", "--data-binary", "--json", "-F", "--form", "-T", "--post-data",
			"--post-file"):
			changes = !argv.Any(opts, "-G", "--get")
		}
	}
	return argv.AnyText(urls, func(u string) bool {
		_, rest, ok := strings.Cut(u, "://")
		if !ok {
			rest = u
		}
		to := func(place string) bool { return strings.HasPrefix(strings.ToLower(rest), place) }
		host, _, _ := strings.Cut(rest, "/")
		return slices.ContainsFunc(place.Listed("mailboxes"), to) || strings.HasSuffix(host, ".webhook.office.com") ||
			changes && slices.ContainsFunc(place.Listed("forges"), to) && !strings.HasSuffix(rest, "/graphql")
	})
}
