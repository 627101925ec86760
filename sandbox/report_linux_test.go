package sandbox

import (
	"encoding/json"
	"testing"
)

func TestReportOfThisMachine(t *testing.T) {
	m, err := Open(Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	r := m.Report()
	b, _ := json.MarshalIndent(r, "", " ")
	t.Logf("%s", b)
	t.Logf("%v", m.whole.found)
}
