package rpc

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// What is kept of commands that were refused something a person could give.
const (
	maxRetries    = 32
	maxRetryBytes = 64 << 10 // of a request as JSON, its input and variables too; a larger one is not kept
)

// retries are the newest of them.
type retries struct {
	mu   sync.Mutex
	list []refusedRun
}

type refusedRun struct {
	params protocol.ExecParams
	offers []protocol.AccessGrant
}

// keep remembers a run that can be retried.
func (k *retries) keep(p protocol.ExecParams, r *protocol.ExecResult) {
	offers := []protocol.AccessGrant{}
	for _, v := range r.Violations {
		if v.Allow != nil {
			offers = append(offers, *v.Allow)
		}
	}
	if len(offers) == 0 {
		return
	}
	if text, err := json.Marshal(p, jsonrpc.WireOptions); err != nil || len(text) > maxRetryBytes {
		return
	}
	p.ExecID = r.ExecID
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.list = append(k.list, refusedRun{p, offers}); len(k.list) > maxRetries {
		k.list = slices.Delete(k.list, 0, 1)
	}
}

func (k *retries) find(id string) (refusedRun, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range slices.Backward(k.list) {
		if r.params.ExecID == id {
			return r, true
		}
	}
	return refusedRun{}, false
}

// execRetry runs a command again with what it was refused. The call is a person's yes: only a
// client that says so is served, and only what was offered is given.
func (s *server) execRetry(ctx context.Context, id jsonrpc.ID, p *protocol.RetryParams) (any, error) {
	if !s.client.Exec.Approval || !s.client.Exec.Grants {
		return nil, convert.InvalidRequest("exec/retry is for clients that announced exec.approval and exec.grants: a person gives what it gives")
	}
	run, ok := s.retries.find(p.ExecID)
	if !ok {
		return nil, protocol.Invalid("/execId", "a run of this session that was refused something which can be given", fmt.Sprintf("%.40q", p.ExecID))
	}
	how := asked{retryOf: p.ExecID}
	for i, g := range p.Grants {
		if !slices.Contains(run.offers, g) {
			return nil, protocol.Invalid(fmt.Sprintf("/grants/%d", i), "one that a violation of that run offers as allow", fmt.Sprintf("%s %.80q", g.Kind, g.Value))
		}
		if g.Kind != executor.GrantLimit {
			how.given = append(how.given, executor.Access(g))
		} else if more, err := config.LimitOf(g.Value); err == nil { // it was offered
			how.limits = more.Or(how.limits)
		}
	}
	next := run.params
	next.ExecID, next.WorkDoneToken, next.PartialResultToken, next.Approval = p.NewExecID, p.WorkDoneToken, p.PartialResultToken, nil
	result, err := s.execute(ctx, id, &next, how)
	if bad := convert.Params(err); bad != nil && bad.Path == "/execId" {
		bad.Path = "/newExecId"
		return nil, bad
	}
	return result, err
}
