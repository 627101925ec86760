//go:build linux || darwin

package sandbox

import (
	"os"

	"github.com/pillion-sidecar/pillion/sandbox/assess"
	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// climb goes from the strongest rung down, until all canaries get what they must.
func climb(o Options, modes []Mode) (findings, error) {
	s := findings{rung: RungNone, facts: map[Mode]assess.Facts{Off: offFacts}}
	for _, rung := range rungs {
		found, short, err := tryRung(o, rung, modes)
		if err != nil {
			return s, err
		}
		for i, mode := range modes {
			s.facts[mode] = found[i]
		}
		if short == nil {
			s.rung = rung
			return s, nil
		}
		s.missed = append(s.missed, *short)
	}
	s.fail(modes, noRung(s.missed))
	if m := tryOff(o); m != nil {
		s.facts[Off] = assess.Facts{Failure: m}
	}
	return s, nil
}

// tryRung tries a rung, twice where it falls short and nothing is known to be missing: on
// a machine that a fork bomb held up, a weaker rung was chosen for the whole session.
func tryRung(o Options, rung string, modes []Mode) (found []assess.Facts, short *Missing, err error) {
	for range 2 {
		if found, err = runCanaries(o, rung, modes); err != nil {
			return nil, nil, err
		}
		if short = shortfall(rung, found...); short == nil || lacks(rung) != nil {
			break
		}
	}
	return found, short, nil
}

// exhausted is the outcome where descriptors ran out: nothing is known of the rungs, and
// none is chosen for want of descriptors.
func (s *findings) exhausted(modes []Mode, err error) {
	s.scarce = err
	s.fail(modes, &Missing{Feature: "self-test", Reason: err.Error(), Hint: "close files, or raise their limit (ulimit -n)"})
}

func removePrivateDir(dir string, lock *os.File) {
	_ = lock.Close()
	files.RemoveTree(dir)
}

// canaryEnv is all that a canary needs.
func canaryEnv(b *box) []string { return []string{"HOME=" + b.home(), "TMPDIR=" + b.tmp()} }
