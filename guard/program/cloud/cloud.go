// Package cloud knows what is changed in clouds and clusters, and stored there.
package cloud

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
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
	if name == "aws" {
		verb, _, _ := strings.Cut(words[1], "-")
		if words[0] == "s3" {
			return words[1] == "rm" || words[1] == "rb" || words[1] == "mb" || words[1] == "mv" && len(words) > 2 &&
				bucket(words[2])
		}
		return words[0] != "configure" && slices.Contains([]string{
			"delete", "terminate", "remove", "put", "create",
			"update", "modify", "stop", "reboot", "run", "attach", "detach", "deregister", "disable", "purge", "revoke",
			"authorize", "reset", "restore", "release", "deploy", "publish", "cancel", "associate", "disassociate", "schedule",
			"import", "invite", "accept", "reject", "enable", "tag", "untag", "send", "invoke", "set", "replace", "change",
			"start", "copy", "assign", "unassign", "add", "allocate", "activate", "deactivate", "upload", "execute", "promote",
			"rotate", "swap",
		}, verb) && !slices.Contains([]string{"start-query", "start-session", "start-live-tail"}, words[1])
	}
	path := words[1:min(len(words), 5)]
	if slices.ContainsFunc(path, func(s string) bool {
		return slices.Contains([]string{"list", "show", "describe", "get", "logs", "tail", "read", "get-value"}, s)
	}) {
		return false
	}
	return slices.ContainsFunc(path, func(s string) bool {
		verb, _, many := strings.Cut(s, "-")
		if many && slices.Contains([]string{"create", "delete", "remove", "update", "add", "set", "reset"}, verb) {
			return true
		}
		return slices.Contains([]string{
			"delete", "create", "update", "deploy", "destroy", "remove", "purge", "stop",
			"start", "restart", "reset", "resize", "add-iam-policy-binding", "remove-iam-policy-binding", "set-iam-policy",
			"rm", "deallocate", "set-policy", "submit", "enable", "disable", "import", "replace", "patch", "add", "set",
			"promote", "migrate", "failover", "up", "invoke", "assign", "execute", "rollback", "upload", "upload-batch",
		}, s)
	}) && words[0] != "config" && words[0] != "auth" && words[0] != "account" && words[0] != "components"
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
		return slices.Contains([]string{
			"cp", "sync", "mv", "copy", "move", "put", "upload", "rsync", "mirror", "copyto",
			"upload-file",
		}, s)
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
