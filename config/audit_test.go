package config

import (
	"path/filepath"
	"testing"
)

func TestTheAuditLogIsOnUnlessTheUserOrTheEditorSaysNo(t *testing.T) {
	c := base()
	c.StateDir, c.Audit = "/state", true
	if got := c.AuditDir(); got != filepath.Join("/state", "audit") {
		t.Error(got)
	}
	if !fixed().Audit {
		t.Error("it is off by default")
	}
	no, yes := false, true
	off, err := c.With(InitOptions{Policy: PolicyOptions{Audit: AuditOptions{Enabled: &no}}})
	if err != nil || off.AuditDir() != "" {
		t.Errorf("%v %q", err, off.AuditDir())
	}
	again, err := off.With(InitOptions{Policy: PolicyOptions{Audit: AuditOptions{Enabled: &yes}}})
	if err != nil || again.AuditDir() == "" {
		t.Errorf("%v", err)
	}
	if settings := off.looser(c); len(settings) != 1 {
		t.Errorf("settings may switch it off: %v", settings)
	}
	c.StateDir = ""
	if got := c.AuditDir(); got != "" {
		t.Errorf("without a place: %q", got)
	}
}
