package config

import (
	"errors"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor"
)

func TestApprovalOptions(t *testing.T) {
	c, err := base().With(InitOptions{Approvals: ApprovalOptions{Fallback: FallbackMessage, TimeoutMs: 1500}})
	if err != nil || !c.AskByMessage || c.ApprovalTimeout != 1500*time.Millisecond {
		t.Errorf("%v %s %v", c.AskByMessage, c.ApprovalTimeout, err)
	}
	c, err = fixed().With(InitOptions{})
	if err != nil || c.AskByMessage || c.ApprovalTimeout != 5*time.Minute {
		t.Errorf("default: %v %s %v", c.AskByMessage, c.ApprovalTimeout, err)
	}
	for path, o := range map[string]ApprovalOptions{
		"/approvals/fallback":  {Fallback: "allow"},
		"/approvals/timeoutMs": {TimeoutMs: -1},
	} {
		_, err := base().With(InitOptions{Approvals: o})
		var param *executor.ParamError
		if !errors.As(err, &param) || param.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}
