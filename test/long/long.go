// Package long is how a test says that it takes seconds: go test -short leaves it out,
// and `make quick` with it.
package long

import (
	"flag"
	"os"
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

// Part is every nth of a list with -short, and otherwise all of it.
func Part[T any](list []T, n int) []T {
	if !testing.Short() {
		return list
	}
	var part []T
	for i := 0; i < len(list); i += n {
		part = append(part, list[i])
	}
	return part
}

// Rounds is how often to try what only chance can show: n times where everything is to
// be tested (PILLION_REQUIRE=all), a twentieth of it elsewhere; PILLION_ROUNDS times as
// often if that is set.
func Rounds(n int) int {
	if !needs.Everything() {
		n = max(1, n/20)
	}
	return n * number("PILLION_ROUNDS", 1)
}

// Seed is what to begin chance with in a round. It is the same one each time: what fails
// has failed for what was changed. For a search set PILLION_SEED to that of round 0.
func Seed(round int) uint64 { return uint64(number("PILLION_SEED", 0) + round) }

// Seeds are those of n rounds that are divided among some tests of one kind, of which the
// caller is one: together they try more than n. A search has all of them in each.
func Seeds(n, part, parts int) (seeds []uint64) {
	n = Rounds(n)
	if os.Getenv("PILLION_SEED") != "" || !needs.Everything() {
		part, parts = 0, 1
	}
	n = (n + parts - 1) / parts
	for round := range n {
		seeds = append(seeds, Seed(part*n+round))
	}
	return seeds
}

func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
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
