package bench

import "testing"

// The parts, for benchstat: go test ./test/bench -run '^$' -bench . -count 10

func BenchmarkPlainSpawn(b *testing.B) {
	for b.Loop() {
		plainRun(b, "true")
	}
}

func BenchmarkSandboxedSpawn(b *testing.B) {
	s := box(b, workspace)
	for b.Loop() {
		sandboxedRun(b, s, "true")
	}
}

func BenchmarkExec(b *testing.B) {
	build(b, pillion, "../..")
	e := spawn(b)
	e.initialize("{}")
	for b.Loop() {
		e.run(`{"command":"true"}`)
	}
	e.end()
}

func BenchmarkRoundTrip(b *testing.B) {
	build(b, pillion, "../..")
	e := spawn(b)
	e.initialize("{}")
	for b.Loop() {
		e.call("exec/list", "{}")
	}
	e.end()
}

func BenchmarkStart(b *testing.B) {
	build(b, pillion, "../..")
	for b.Loop() {
		started(b)
	}
}

func BenchmarkPingPong(b *testing.B) {
	p := newPingPong(b)
	for b.Loop() {
		p.turn(b)
	}
}
