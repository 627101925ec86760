package guard

import (
	"sync"

	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/program/cloud"
	"github.com/pillion-sidecar/pillion/guard/program/container"
	"github.com/pillion-sidecar/pillion/guard/program/files"
	"github.com/pillion-sidecar/pillion/guard/program/git"
	"github.com/pillion-sidecar/pillion/guard/program/machine"
	"github.com/pillion-sidecar/pillion/guard/program/net"
	"github.com/pillion-sidecar/pillion/guard/program/node"
	"github.com/pillion-sidecar/pillion/guard/program/project"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/program/secret"
	"github.com/pillion-sidecar/pillion/guard/program/sql"
	"github.com/pillion-sidecar/pillion/guard/program/text"
	"github.com/pillion-sidecar/pillion/guard/windows"
)

// programs is all that is known of programs, made when the first command is judged:
// at init it would be a part of every start.
var programs = sync.OnceValue(func() *run.Table {
	return run.New(
		run.Common(), lang.Family(), text.Family(), files.Family(), net.Family(), git.Family(), sql.Family(), node.Family(),
		container.Family(), project.Family(), secret.Family(), machine.Family(), cloud.Family(), windows.Family(),
	)
})
