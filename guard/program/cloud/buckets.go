package cloud

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/net"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

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
