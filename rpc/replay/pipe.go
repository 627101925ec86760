package replay

import (
	"context"
	"io"
	"os"
	"sync"

	"github.com/sourcegraph/conc"
)

// pipePeer runs serve in this process on real pipes, so that a reader that stalls or
// vanishes looks as it does between processes.
func pipePeer(serve func(ctx context.Context, in io.Reader, out io.Writer, log io.Writer) int) (*Peer, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		_ = inR.Close() // the error that counts is the other one
		_ = inW.Close()
		return nil, err
	}
	log := &lockedBuffer{}
	code, done := 0, make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	var wg conc.WaitGroup
	wg.Go(func() {
		defer close(done)
		defer outW.Close()
		defer inR.Close()
		code = serve(ctx, inR, outW, log)
	})
	wait := func(ctx context.Context) (int, error) {
		select {
		case <-done:
			wg.Wait()
			return code, nil
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	kill := func() {
		cancel()
		_ = inW.Close() // may be closed already
		_ = outR.Close()
		<-done
	}
	return &Peer{In: inW, Out: outR, Stderr: log.String, Wait: wait, Kill: kill}, nil
}

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  []byte
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = append(l.b, p...)
	return len(p), nil
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.b)
}
