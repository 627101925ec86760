package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// versions is what version --json prints.
type versions struct {
	Version         string `json:"version"`
	Platform        string `json:"platform"` // GOOS/GOARCH
	Go              string `json:"go"`
	ProtocolVersion int    `json:"protocolVersion"`
}

func (p *program) versionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  atMost(0),
	}
	asJSON := c.Flags().Bool("json", false, "print one line of JSON")
	c.RunE = func(*cobra.Command, []string) error {
		if *asJSON {
			return terminal.WriteJSON(p.stdout, versions{p.version, runtime.GOOS + "/" + runtime.GOARCH, runtime.Version(), protocol.ProtocolVersion})
		}
		return p.print("pillion " + p.built() + "\n")
	}
	return c
}

// built is what --version says after the name.
func (p *program) built() string {
	return fmt.Sprintf("%s %s/%s %s", p.version, runtime.GOOS, runtime.GOARCH, runtime.Version())
}
