package rpc

import (
	"fmt"

	"github.com/pillion-sidecar/pillion/executor"
)

// hostTitle says what an accepted host is open to: the proxy sees a sandbox's
// connections, and no command of it could be told from another that lies.
func hostTitle(q executor.Question) string {
	return "Let everything in this sandbox connect to " + display(q.Host) + "?"
}

// hostMessage is the same with the command that wants it and what that may mean.
func hostMessage(q executor.Question) string {
	text, _ := shownCommand(q)
	return fmt.Sprintf("%s\nWhat the sandbox can read can be sent there.\n\nAsked for by %s\nin %s", hostTitle(q), text, display(q.Cwd))
}
