package sandbox

import (
	"errors"
	"net"
	"time"

	"golang.org/x/sys/windows"
)

// unhold notes that a command uses the box no more, or whoever held it.
func (b *box) unhold() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest()
}

// track notes a running command, which must end with its box.
func (b *box) track(p *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[p] = struct{}{}
	if b.closed {
		_ = p.Kill()
	}
}

func (b *box) untrack(p *Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, p)
}

// retire lets no command begin any more. While commands run, or processes are left,
// it does so only if that was said to be no matter. finish must follow.
func (b *box) retire(running, left bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || !running && b.busy > 0 || !left && len(b.trees) > 0 {
		return false
	}
	b.closed = true
	return true
}

// finish ends everything in the box, takes back what was granted, and removes the
// directory. It tells how many of the processes that commands had left it killed.
func (b *box) finish() (killed int) {
	b.mu.Lock()
	for p := range b.running {
		_ = p.Kill()
	}
	b.mu.Unlock()
	killed = b.endLeft()
	b.mu.Lock()
	b.awaitSettled()
	b.mu.Unlock()
	b.ending.Wait()
	if b.token != 0 {
		_ = b.token.Close()
	}
	if b.dir != "" {
		removePrivateDir(b.dir, b.lock) // what can't be taken back now is the next start's
	}
	return killed
}

// tidy has nothing to do: no process of ours idles here.
func (b *box) tidy(time.Time) time.Time { return time.Time{} }

// listener is not reached: a policy with a proxy is refused before.
func (b *box) listener() (net.Listener, error) {
	return nil, errors.New("a sandbox of Windows has no network of its own")
}

// machineKey changes whenever an old self-test could be wrong: another boot, version
// of the system, program or user.
func machineKey() string {
	user, err := userSID()
	if err != nil {
		return ""
	}
	exe, err := programStamp()
	if err != nil {
		return ""
	}
	// The boot, to ten seconds: it is told as an age.
	boot := time.Now().Add(-windows.DurationSinceBoot()).Round(10 * time.Second).Unix()
	return kernelRelease() + " " + time.Unix(boot, 0).UTC().Format(time.RFC3339) + " " + exe + " " + user
}
