package rpc

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// An answer too long to be read kept the person's dialog, and the command, waiting
// until the question expired; and the client got an error for an id of ours.
func TestApprovalAnswerOverTheLimitDeclines(t *testing.T) {
	c := asking(t, "")
	c.request(2, "exec", `{"command":"touch ran"}`)
	id, _ := c.question(1)
	c.reply(id, `{"decision":"accept","message":"`+strings.Repeat("x", protocol.MaxMessageBytes)+`"}`)
	if data := c.fails(2, -31003, "approvalDeclined"); data["by"] != "malformed" || c.ran("ran") {
		t.Error(data)
	}
	c.failure(c.wait("refusal", null("messageTooLarge")), -32600, "messageTooLarge")
}
