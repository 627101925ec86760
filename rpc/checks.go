package rpc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/executor"
)

// The limits of one guard/check request.
const (
	maxChecks     = 1024
	maxCheckBytes = 1 << 20 // of command text
)

// checkRequests refuses a request as a whole: a client that asks for a thousand
// verdicts and gets 999 would put them to the wrong commands.
func checkRequests(params []byte) ([]executor.Request, error) {
	p := new(CheckParams)
	if bad := decodeStrict(params, p, nullableCheck); bad != nil {
		return nil, bad.fault()
	}
	if n := len(p.Checks); n < 1 || n > maxChecks {
		return nil, invalidParams("/checks", fmt.Sprintf("1 to %d checks", maxChecks), fmt.Sprint(n))
	}
	requests := make([]executor.Request, len(p.Checks))
	size := 0
	commands := 0
	for i := range p.Checks {
		r, err := p.Checks[i].checkRequest()
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
		return nil, invalidParams("/checks", fmt.Sprintf("at most %d commands in all", maxChecks), fmt.Sprint(commands))
	}
	if size > maxCheckBytes {
		return nil, invalidParams("/checks", fmt.Sprintf("at most %d bytes of commands", maxCheckBytes), fmt.Sprint(size))
	}
	return requests, nil
}

func (p *ExecParams) checkRequest() (executor.Request, error) {
	const expected = "no token: a check has no progress"
	switch {
	case !p.WorkDoneToken.IsZero():
		return executor.Request{}, invalidParams("/workDoneToken", expected, "one")
	case !p.PartialResultToken.IsZero():
		return executor.Request{}, invalidParams("/partialResultToken", expected, "one")
	case p.Approval != nil:
		return executor.Request{}, invalidParams("/approval", "no decision: a check asks nobody", "one")
	}
	p.Output.Stream = nil // an exec would have a token with it
	return p.request()
}

// atCheck puts the number of the check into the path of its error.
func atCheck(i int, err error) error { return below(fmt.Sprintf("/checks/%d", i), err) }

// below puts where params stood in front of the path of their error.
func below(place string, err error) error {
	var wire *jsonrpc2.Error
	data := new(InvalidParamsData)
	if !errors.As(err, &wire) || wire.Code != CodeInvalidParams || decode(wire.Data, data) != nil {
		return err
	}
	data.Path = place + data.Path
	return data.fault()
}

// nullableCheck is nullableExec below /checks/N.
func nullableCheck(p jsontext.Pointer) bool {
	inner := withinCheck(p)
	return inner != p && nullableExec(inner)
}

// withinCheck is the part of a pointer behind /checks/N, or all of it.
func withinCheck(p jsontext.Pointer) jsontext.Pointer {
	at := 0
	for token := range p.Tokens() {
		if at == 0 && token != "checks" {
			break
		}
		if at++; at == 2 {
			return p[len("/checks/")+len(token):]
		}
	}
	return p
}
