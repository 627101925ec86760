// Package cloud knows what is changed in clouds and clusters, and stored there.
package cloud

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/net"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// cloudChange reports a cloud's verbs that are not for looking. aws writes them
// delete-thing, gcloud and az at the end of a path of nouns.
func cloudChange(name string, words []string) bool {
	if len(words) < 2 {
		return false
	}
	switch group := words[0]; {
	case group == "config", group == "configure", group == "auth", group == "account", group == "components":
		return false
	case name == "aws" && group == "s3":
		return effect.Among(words[1], "rm rb mb") || words[1] == "mv" && len(words) > 2 && bucket(words[2])
	case name == "aws":
		return !effect.Among(words[1], "start-query start-session start-live-tail decrypt encrypt generate-data-key") &&
			!strings.HasPrefix(words[1], "batch-get") && !strings.HasPrefix(words[1], "assume-role") &&
			program.Changes(strings.SplitN(words[1], "-", 2)[:1])
	}
	return program.Changes(words)
}

// Family is what tools of clouds change, and send there.
func Family() run.Family {
	return run.Family{Means: []run.Meaning{
		{Word: "outward/deploy", When: deploys},
		{Word: "net/send", When: run.OfMachine(storesAway)},
	}}
}

// storesAway is a copy from here to a bucket; the other way is a download.
func storesAway(_ *shell.Walker, e *effect.Effect) bool {
	if !e.Runs("aws", "gsutil", "rclone", "azcopy", "gcloud", "mc", "s3cmd", "b2", "s5cmd") || argv.Rehearsal(e.Args) ||
		argv.Given(e.Args, "-n") && e.Name == "rclone" || LocalEndpoint(e.Name, e.Args) {
		return false
	}
	words := program.Words(e)
	at := slices.IndexFunc(words, func(s string) bool {
		return effect.Among(s, `cp sync mv copy move put upload rsync mirror copyto upload-file`)
	})
	if at < 0 || len(words) < at+3 {
		return false
	}
	if s := words[at]; s == "put" || s == "upload" || s == "upload-file" {
		return true
	}
	return bucket(words[len(words)-1]) && !bucket(words[at+1])
}

func bucket(s string) bool {
	return strings.Contains(s, "://") || net.Away(s)
}

// cloudNouns begin the nouns of cmdlets that work on a cloud or a directory.
var cloudNouns = []string{
	"az", "ec2", "s3", "rds", "iam", "mg", "aks", "gce", "gcs", "vm", "ad", "spo", "exo",
	"cosmosdb",
}

// cloudCmdlet is Remove-AzResourceGroup, Stop-EC2Instance and their like.
func cloudCmdlet(name string) bool {
	verb, noun, ok := strings.Cut(name, "-")
	return ok && effect.Among(verb, `remove publish stop new set update restart disable reset revoke`) &&
		slices.ContainsFunc(cloudNouns, func(n string) bool { return strings.HasPrefix(noun, n) && noun != "additem" })
}

// deploys is what no phrase can say: verbs of clouds within words, requests that
// delete, and whether the other end is this machine.
func deploys(_ *shell.Walker, e *effect.Effect) bool {
	name, args := program.Launched(e.Name, e.Args)
	switch name {
	case "curl", "wget":
		return remotely(e) && (deletes(e) || purges(e))
	case "http", "https", "xh":
		_, words := program.MustSpec(name).Options(e.Args)
		return len(words) > 1 && strings.EqualFold(words[0].Text, "delete") && !strings.HasPrefix(words[1].Text, ":") &&
			remotely(e)
	case "aws", "gcloud", "az":
		words := program.CommandWords(name, args)
		mirrors := argv.Given(args, "--delete") && argv.Begins(words, []string{"s3", "sync"})
		return !argv.Rehearsal(args) && !LocalEndpoint(name, args) && len(program.Elsewhere(name, args)) == 0 &&
			(mirrors || cloudChange(name, words) || program.Means(e, "deploys"))
	case "etcdctl":
		return farEndpoint(args) && program.Means(e, "deploys")
	}
	return cloudCmdlet(e.Name) ||
		e.Text == e.Name && program.Drastic(name, args) && len(program.Told(e)) == 0
}

// farEndpoint is etcdctl with another machine; by itself it uses this one.
func farEndpoint(args []effect.Arg) bool {
	opts, _ := program.MustSpec("etcdctl").Options(args)
	return argv.AnyValue(opts, func(url string) bool { return !place.LocalHost(place.HostOf(url)) },
		"--endpoints", "--endpoint", "-C", "--peers")
}

func remotely(e *effect.Effect) bool {
	_, urls := program.MustSpec(e.Name).Options(e.Args)
	return argv.AnyText(urls, func(u string) bool {
		return !place.LocalHost(place.HostOf(u)) && !place.Service(place.HostOf(u)) || strings.Contains(u, ":") &&
			stores().MatchString(u)
	})
}

// stores are clusters, engines and all of an index, which are often reached through
// a port of this machine. One index there is a test's own.
var stores = argv.Pattern(`^(?:https?://)?[^/]*:(?:9[23]00/(?:\*|_all)|(?:6443|8001|237[569]|8500)(?:/|$))`)

// LocalEndpoint is aws told to use an emulator on this machine.
func LocalEndpoint(name string, args []effect.Arg) bool {
	if name != "aws" {
		return false
	}
	opts, _ := program.MustSpec("aws").Options(args)
	return argv.AnyValue(opts, func(url string) bool {
		return url != "" && (place.LocalHost(place.HostOf(url)) || place.Service(place.HostOf(url)))
	}, "--endpoint-url")
}

// purges are requests to stores of documents and to GraphQL that take away by their text.
func purges(e *effect.Effect) bool {
	return argv.AnyText(e.Args, func(s string) bool {
		return len(s) <= effect.MaxBytes && purging().MatchString(s)
	})
}

var purging = argv.Pattern(`(?i)://[^ ]*/_(?:delete|update)_by_query|^\s*<delete>|^\s*\{\s*"delete"\s*:|` +
	`^\s*(?:\{\s*"query"\s*:\s*"\s*)?mutation\b.*(?:delete|destroy|remove)\w*\s*\(`)

// deletes reports a DELETE request, as curl and gh name the method.
func deletes(e *effect.Effect) bool {
	opts, _ := program.MustSpec(e.Name).Options(e.Args)
	return argv.AnyValue(opts, func(method string) bool { return strings.EqualFold(method, "delete") },
		"-X", "--request", "--method")
}
