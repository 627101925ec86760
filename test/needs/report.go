package needs

import (
	"slices"
	"sync"
	"testing"
)

// found are the lines of this process.
var found struct {
	sync.Mutex
	lines []string
}

func record(line string) {
	found.Lock()
	defer found.Unlock()
	if !slices.Contains(found.lines, line) {
		found.lines = append(found.lines, line)
	}
}

// M is a testing.M that reports what was not tested. go test hides the output of a package
// that passes, so the last package that ends says it for all of them, on the output of go
// test itself.
type M struct{ *testing.M }

// Run runs the package's tests.
func (m M) Run() int {
	s := share()
	remove := temp()
	code := m.M.Run()
	remove()
	s.close(found.lines)
	return code
}
