package net

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// requestBody reports files that are written to be sent: the JSON of a request.
func requestBody(name string) bool {
	return slices.Contains([]string{
		".json", ".xml", ".graphql", ".gql", ".ndjson", ".form", ".yaml", ".yml", ".query",
		".hurl", ".avsc",
	}, path.Ext(name))
}

// CurlSpec is how curl reads its arguments.
var CurlSpec = argv.New("???", `-o: --output: --output-dir: -T: --upload-file: -K: --config: -d: --data: --data-raw:
	--data-binary: --data-urlencode: --data-ascii: --json: -F: --form: --form-string: -H: --header: -X: --request: -u:
	--user: -A: --user-agent: -e: --referer: -b: --cookie: -c: --cookie-jar: -m: --max-time: --connect-timeout: --retry:
	--retry-delay: --retry-max-time: -w: --write-out: -x: --proxy: -r: --range: --cacert: --capath: --cert: -E: --key:
	--key-type: --cert-type: --pass: -D: --dump-header: --resolve: --connect-to: --url: --max-redirs: --limit-rate:
	--interface: --unix-socket: -Q: --quote: -C: --continue-at: -y: -Y: -z: --time-cond: -P: -t: --ciphers: --proto:
	--oauth2-bearer: --aws-sigv4: --stderr: --trace: --trace-ascii: --variable: --url-query: --dns-servers: --noproxy:
	--max-filesize:`)

func curl(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	run.Operands(w, st, "curl", args[1:])
	opts, urls := CurlSpec.Options(args[1:])
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
		}
	}
	for _, u := range urls {
		if strings.HasPrefix(u.Text, "file://") { // printed, like cat
			w.Path(st, effect.Read, u)
		}
	}
	Request(w, "curl", urls, p)
	return effect.Passed(in, "curl")
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

// WgetSpec is how wget reads its arguments.
var WgetSpec = argv.New("???", `-O: --output-document: -P: --directory-prefix: -o: -a: -i: --input-file: --header:
	--post-data: --post-file: --user-agent: -U: -t: -T: --body-data: --body-file: --load-cookies: --save-cookies: -A: -R:
	-e: --method: --tries: --timeout: -w: --wait: -Q: -l: --level: -D: --domains: --user: --password: --limit-rate: -B:
	--base: --certificate: --private-key: --ca-certificate:`)

func wget(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	run.Operands(w, st, "wget", args[1:])
	opts, urls := WgetSpec.Options(args[1:])
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
	return effect.Passed(in, "wget")
}

// httpie names files as field@file, field=@file and, on standard input, the body.
func httpie(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	name := argv.Base(args[0].Text)
	_, operands := HttpieSpec.Options(args[1:])
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
			urls = append(urls, o)
		case at >= 0:
			p.File(o, o.Text[at+1:], at == 0 || o.Text[at-1] == '=')
		}
	}
	Request(w, name, urls, p)
	return effect.Passed(in, name)
}

// HttpieSpec is how httpie reads its arguments.
var HttpieSpec = argv.New(":::", `-a: --auth: -o: --output: -A: --auth-type: --session: -p: --print: --timeout:
	--proxy: --verify: --cert: --cert-key: -s: --style:`)

// mailboxes are hosts, with the beginning of the path, where a request is a
// message to people.
var mailboxes = []string{
	"hooks.slack.com/", "slack.com/api/", "discord.com/api/", "discordapp.com/api/", "api.telegram.org/", "ntfy.sh/",
	"api.pushover.net/", "hooks.zapier.com/", "maker.ifttt.com/", "api.sendgrid.com/", "api.mailgun.net/",
	"api.postmarkapp.com/", "api.resend.com/emails", "api.twilio.com/", "chat.googleapis.com/", "events.pagerduty.com/",
	"api.opsgenie.com/", "webhook.site/", "open.feishu.cn/open-apis/bot/", "oapi.dingtalk.com/robot/",
	"qyapi.weixin.qq.com/cgi-bin/webhook/", "outlook.office.com/webhook/", "graph.facebook.com/",
	"api.twitter.com/2/tweets", "api.x.com/2/tweets",
}

// forges are services where a request that is not a GET changes what others see.
var forges = []string{
	"api.github.com/", "gitlab.com/api/", "api.bitbucket.org/", "api.heroku.com/",
	"api.cloudflare.com/", "api.digitalocean.com/", "api.netlify.com/", "api.vercel.com/", "api.fly.io/",
	"api.stripe.com/", "circleci.com/api/", "api.travis-ci.com/", "api.buildkite.com/", "hub.docker.com/v2/",
}

var messengers = sync.OnceValue(func() map[string]*argv.Spec {
	return map[string]*argv.Spec{
		"curl": CurlSpec, "wget": WgetSpec, "http": HttpieSpec, "https": HttpieSpec,
		"xh": HttpieSpec,
	}
})

func postsMessage(_ *shell.Walker, e *effect.Effect) bool {
	if e.Kind != effect.Exec || messengers()[e.Name] == nil {
		return false
	}
	opts, urls := messengers()[e.Name].Options(e.Args)
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
		return slices.ContainsFunc(mailboxes, to) || strings.HasSuffix(host, ".webhook.office.com") ||
			changes && slices.ContainsFunc(forges, to) && !strings.HasSuffix(rest, "/graphql")
	})
}
