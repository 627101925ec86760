package windows

import (
	"path"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

func loadsCode(_ *shell.Walker, e *effect.Effect) bool {
	if e.Kind != effect.Exec {
		return false
	}
	return argv.AnyText(e.Args, hiddenStream)
}

// hiddenStream reports C:\dir\file:stream, content of a file that no listing shows.
func hiddenStream(s string) bool {
	if len(s) < 5 || s[1] != ':' || s[2] != '\\' {
		return false
	}
	file, stream, ok := strings.Cut(s[3:], ":")
	return ok && strings.Contains(path.Base(strings.ReplaceAll(file, `\`, "/")), ".") && stream != "" &&
		strings.Trim(stream, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-$") == ""
}
