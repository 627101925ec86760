package executor

import "time"

// maxBurden bounds what the requests of commands that have not ended hold together,
// in bytes. Their number is bounded as well, but a hundred that wait with 10 MiB of
// input each took 1.1 GiB.
const maxBurden = 64 << 20

// burden is what a request holds, in bytes, for as long as its command has not ended.
func (r Request) burden() int64 {
	n := len(r.Command) + len(r.Description) + len(r.Stdin)
	for _, list := range [][]string{r.Argv, r.Commands, r.Sandbox.Writable} {
		for _, s := range list {
			n += len(s)
		}
	}
	for name, value := range r.Env {
		n += len(name)
		if value != nil {
			n += len(*value)
		}
	}
	return int64(n)
}

// busy refuses a command; the caller holds mu, and says more.
func (e *Engine) busy() *BusyError {
	return &BusyError{Running: e.running, Queued: len(e.runs) - e.running, RetryAfter: time.Second}
}

// overburdened refuses one request too many; the caller holds mu.
func (e *Engine) overburdened(more int64) error {
	if e.burden+more <= maxBurden {
		return nil
	}
	err := e.busy()
	err.Burden = e.burden
	return err
}
