package net

import (
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

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
