package config

import (
	"fmt"
	"time"
)

// ApprovalOptions say how a person is asked.
type ApprovalOptions struct {
	// How a client is asked that does not serve exec/requestApproval.
	Fallback Fallback `json:"fallback,omitzero"`
	// Milliseconds after which no answer is a decline, up to a day.
	TimeoutMs int64 `json:"timeoutMs,omitzero"`
}

// Fallback is how a client is asked that has no way of its own.
type Fallback string

// Not at all, or by LSP's window/showMessageRequest.
const (
	FallbackDeny    Fallback = "deny"
	FallbackMessage Fallback = "showMessageRequest"
)

func (c *Config) approvals(o ApprovalOptions) error {
	if err := oneOf("/approvals/fallback", o.Fallback, "", FallbackDeny, FallbackMessage); err != nil {
		return err
	}
	if o.TimeoutMs < 0 || o.TimeoutMs > longest.Milliseconds() {
		return bad("/approvals/timeoutMs", fmt.Sprintf("1 to %d", longest.Milliseconds()), fmt.Sprint(o.TimeoutMs))
	}
	set(&c.ApprovalTimeout, time.Duration(o.TimeoutMs)*time.Millisecond)
	if o.Fallback != "" {
		c.AskByMessage = o.Fallback == FallbackMessage
	}
	return nil
}
