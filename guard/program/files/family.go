// Package files knows what finds, copies, makes and fills files.
package files

import (
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is what finds, makes, fills and opens files.
func Family() run.Family {
	return run.Family{
		Does: map[string]shell.Handler{
			"mktemp": mktemp, "mkfifo": mkfifo, "basename": basename, "dirname": dirname, "dd": dd, "dcfldd": dd,
			"dc3dd": dd, "ln": ln,
			"find": find, "gfind": find, "bfs": find, "xargs": xargs, "gxargs": xargs, "parallel": parallel, "fd": fd,
			"fdfind": fd,
		},
		Before: []run.Look{absoluteNames},
		After:  []run.Look{carryContents},
		Means: []run.Meaning{
			{Word: "system/flood", When: floods},
			{Word: "system/setuid", When: setsRights},
			{Word: "system/open-all", When: opensAll},
			{Word: "fs/mirror", When: mirrors},
		},
	}
}
