package config

import (
	"fmt"
	"time"
)

// ApprovalOptions say how a person is asked.
type ApprovalOptions struct {
	// How a client is asked that does not serve exec/requestApproval: "deny" (not
	// at all) or "showMessageRequest".
	Fallback string `json:"fallback,omitzero"`
	// Milliseconds after which no answer is a decline, up to a day.
	TimeoutMs int64 `json:"timeoutMs,omitzero"`
}

// FallbackMessage is the fallback that asks by LSP's window/showMessageRequest.
const FallbackMessage = "showMessageRequest"

func (c *Config) approvals(o ApprovalOptions) error {
	if err := oneOf("/approvals/fallback", o.Fallback, "", "deny", FallbackMessage); err != nil {
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
