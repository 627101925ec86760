package rpc

import (
	"fmt"
	"slices"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// The limits of one guard/check request.
const (
	maxChecks     = 1024
	maxCheckBytes = 1 << 20 // of command text
)

// checkRequests refuses a request as a whole: a client that asks for a thousand
// verdicts and gets 999 would put them to the wrong commands.
func checkRequests(params []byte) ([]executor.Request, error) {
	p := new(protocol.CheckParams)
	if bad := protocol.DecodeStrict(params, p, protocol.CheckNull); bad != nil {
		return nil, bad
	}
	if n := len(p.Checks); n < 1 || n > maxChecks {
		return nil, protocol.Invalid("/checks", fmt.Sprintf("1 to %d checks", maxChecks), fmt.Sprint(n))
	}
	requests := make([]executor.Request, len(p.Checks))
	size := 0
	commands := 0
	for i := range p.Checks {
		r, err := checkRequest(&p.Checks[i])
		if err != nil {
			return nil, atCheck(i, err)
		}
		size += len(r.Command)
		for _, a := range slices.Concat(r.Argv, r.Commands) {
			size += len(a)
		}
		commands += max(1, len(r.Commands))
		requests[i] = r
	}
	if commands > maxChecks {
		return nil, protocol.Invalid("/checks", fmt.Sprintf("at most %d commands in all", maxChecks), fmt.Sprint(commands))
	}
	if size > maxCheckBytes {
		return nil, protocol.Invalid("/checks", fmt.Sprintf("at most %d bytes of commands", maxCheckBytes), fmt.Sprint(size))
	}
	return requests, nil
}

func checkRequest(p *protocol.ExecParams) (executor.Request, error) {
	const expected = "no token: a check has no progress"
	switch {
	case !p.WorkDoneToken.IsZero():
		return executor.Request{}, protocol.Invalid("/workDoneToken", expected, "one")
	case !p.PartialResultToken.IsZero():
		return executor.Request{}, protocol.Invalid("/partialResultToken", expected, "one")
	case p.Approval != nil:
		return executor.Request{}, protocol.Invalid("/approval", "no decision: a check asks nobody", "one")
	}
	p.Output.Stream = nil // an exec would have a token with it
	return convert.Exec(p)
}

// atCheck puts the number of the check into the path of its error.
func atCheck(i int, err error) error { return below(fmt.Sprintf("/checks/%d", i), err) }

// below puts where params stood in front of the path of their error.
func below(place string, err error) error {
	bad := convert.Params(err)
	if bad == nil {
		return err
	}
	bad.Path = place + bad.Path
	return bad
}
