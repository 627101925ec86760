package rpc

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc/panics"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// pullTime is how long a client may take to answer workspace/configuration.
const pullTime = 30 * time.Second

// pullSettings has the client asked for its settings. One goroutine asks, however
// often they change meanwhile, and asks again if they did.
func (s *server) pullSettings() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != running || !s.client.Workspace.Configuration {
		return
	}
	s.settings.wanted = true
	if !s.settings.asking {
		s.settings.asking = true
		s.settings.scope.Go(s.keepPulling)
	}
}

func (s *server) keepPulling() {
	for s.pullAgain() {
		if caught := panics.Try(s.pullOnce); caught != nil {
			s.log.Error("internal error", "panic", caught.Value, "stack", string(caught.Stack))
		}
	}
}

func (s *server) pullAgain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.asking = s.settings.wanted && s.settings.until.Err() == nil
	s.settings.wanted = false
	return s.settings.asking
}

func (s *server) pullOnce() {
	s.changing.Lock()
	before := s.settings.pushed
	s.changing.Unlock()
	ctx, stop := context.WithTimeout(s.settings.until, pullTime)
	defer stop()
	// Of two requests around an answer, the second one runs under its settings: read-only
	// settings that came a moment later let a command write.
	_, ok := s.asks.DoInOrder(ctx, "workspace/configuration",
		protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: section}}},
		func(r jsonrpc.Reply) {
			if caught := panics.Try(func() { s.pulled(r, before) }); caught != nil {
				s.log.Error("internal error", "panic", caught.Value, "stack", string(caught.Stack))
			}
		})
	if !ok && s.settings.until.Err() == nil {
		s.log.Warn("the client did not answer workspace/configuration")
	}
}

// pulled takes an answer, unless newer settings came by themselves since it was asked for.
func (s *server) pulled(r jsonrpc.Reply, before int) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if before != s.settings.pushed || s.settings.until.Err() != nil {
		return
	}
	var list []jsontext.Value
	if r.Failed || r.Malformed || json.Unmarshal(r.Result, &list) != nil || len(list) != 1 {
		s.log.Warn("the client's answer to workspace/configuration can't be used", "code", r.Code)
		s.tellPerson("pillion: the settings were not changed: the editor's answer to workspace/configuration is no list of one section")
		return
	}
	s.setSettings(list[0])
}
