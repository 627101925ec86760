package sandbox

import "testing"

// What runs commands is set no limit or priority by one: the next command would have it,
// and what looks after git's data when this one has ended.
func TestTheRunnerIsSetNoLimits(t *testing.T) {
	t.Parallel()
	onRungs(t, Limits{}, func(b *bench) {
		for script, works := range map[string]bool{
			"prlimit --pid 1 --fsize=0:0": false, "prlimit --pid 1 --nofile=64": false, "renice -n 19 -p 1": false,
			"taskset -p 1 1": false, "chrt -i -p 0 1": false, "ionice -c 3 -p 1": false,
			"for t in $(ls /proc/1/task 2>/dev/null); do taskset -p 1 $t && exit 0; done; exit 1":                     false,
			"sleep 9 & prlimit --pid $! --nofile=64 && renice -n 19 -p $! && taskset -p 1 $!; r=$?; kill $!; exit $r": true,
			"prlimit --nofile=64 renice -n 19 -p $$":                                                                  true,
		} {
			if o := b.sh(script); (o.status.Code == 0) != works {
				b.t.Errorf("%q: %+v", script, o)
			}
		}
	})
}
