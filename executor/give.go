package executor

import (
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// give widens a policy by exactly what a person has given for one run. What hides secrets, what no
// command may own, and the bound of a workspace's file stay.
func (e *Engine) give(p *sandbox.Policy, given []Access, f *workspace.Set) error {
	for _, a := range given {
		path, _ := f.Resolve(a.Value, "/")
		switch {
		case a.Kind == GrantHost && p.Network == sandbox.NetworkDeny && e.conf.Bounds.Network != sandbox.NetworkDeny:
			p.Network, p.Book = sandbox.NetworkProxy, book(e.conf.Hosts)
		case a.Kind == GrantHost && p.Network != sandbox.NetworkDeny:
		case a.Kind == GrantRead && !p.Hides(e.conf.Home, path):
			p.Readable = append(p.Readable, path)
		case a.Kind == GrantWrite && p.Mode == sandbox.WorkspaceWrite && !p.Hides(e.conf.Home, path):
			if err := e.ownable(a.Value, path); err != nil {
				return err
			}
			p.Writable = append(p.Writable, path)
		default:
			return &ParamError{Path: "/grants", Expected: "what a person can give here", Got: fmt.Sprintf("%s %q", a.Kind, a.Value)}
		}
	}
	return nil
}

// has says that a person has given a host for this run.
func (s SandboxRequest) has(host string, port int) bool {
	web := port == 80 || port == 443 // what a pattern without a port is for
	return slices.ContainsFunc(s.Given, func(a Access) bool {
		return a.Kind == GrantHost && (a.Value == net.JoinHostPort(host, strconv.Itoa(port)) || web && a.Value == host)
	})
}
