package replay

import (
	"os"
	"path/filepath"
	"testing"
)

// A scenario with mistakes is an error that names its place, and what it would
// compare with a message is compared; nothing panics, whatever the file holds.
func FuzzScenario(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(scenarioDir, "*.rpc.txtar"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, `{"a":[1,"x",null,{"b":true}],"text":"x","pid":7}`)
	}
	f.Fuzz(func(_ *testing.T, data []byte, got string) {
		s, err := Parse("fuzz", data)
		if err != nil {
			return
		}
		known := vars{"pid": []byte("7"), "WS": quote("/w"), "s1": quote("srv")}
		for _, st := range s.script {
			for _, one := range append(st.group, st) {
				_, _ = one.frame.encode(known)
				_, _ = match(known.expand(one.frame.body), []byte(got), known, one.frame.exact)
			}
			_ = known.token(st.stream.token) + known.text(st.stream.text)
		}
	})
}
