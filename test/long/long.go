// Package long is how a test says that it takes seconds: go test -short leaves it out,
// and `make quick` with it.
package long

import (
	"flag"
	"runtime"
	"strconv"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// Test skips a test that takes too long for -short.
func Test(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds; it runs without -short")
	}
}

// Rounds is how often to try what only chance can show: n times where everything is to
// be tested (PILLION_REQUIRE=all), a twentieth of it elsewhere.
func Rounds(n int) int {
	if needs.Everything() {
		return n
	}
	return max(1, n/20)
}

// AtOnce lets so many parallel tests run on each processor, unless -parallel says how
// many. It is for the TestMain of a package whose tests wait more than they compute.
func AtOnce(n int) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set(strconv.Itoa(n * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
}
