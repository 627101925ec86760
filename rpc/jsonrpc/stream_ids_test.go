package jsonrpc

import (
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"go.lsp.dev/jsonrpc2"
)

// With these two methods the library would read frames itself and take batches.
func TestStreamHidesItsFramesFromTheLibrary(t *testing.T) {
	for _, name := range []string{"ReadFrame", "WriteFrame"} {
		if _, has := reflect.TypeFor[*Stream]().MethodByName(name); has {
			t.Errorf("stream has %s", name)
		}
	}
}

// The id of an answer is read back from the library's bytes; if that failed, the
// id would stay in flight and shutdown would wait for it forever.
func TestAnsweredIDsAreFreed(t *testing.T) {
	var s *Stream
	w := NewWriter(io.Discard, FramingHeader, func(error) {})
	s = testStream(strings.NewReader(""), w)
	for _, id := range []jsonrpc2.ID{jsonrpc2.NewNumberID(-1), jsonrpc2.NewStringID("a\"\\\n\x01é"), jsonrpc2.NewStringID("")} {
		s.begin(id)
		if _, err := s.Write(t.Context(), jsonrpc2.NewResponse(id, []byte(`{"id":7}`), nil)); err != nil {
			t.Error(err)
		}
		s.begin(id)
		if _, err := s.Write(t.Context(), jsonrpc2.NewResponse(id, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "x"))); err != nil {
			t.Error(err)
		}
		if len(s.inFlight) != 0 {
			t.Errorf("%q is still in flight", id)
		}
	}
}

// writerFunc is what a client does with a frame the moment it arrives.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// A client that used an id again as soon as it had the answer was refused when the answer
// was faster than the bookkeeping after it: while the bookkeeping is held up, no answer
// may leave.
func TestIDIsFreeWhenItsAnswerArrives(t *testing.T) {
	id, arrived := jsonrpc2.NewNumberID(7), make(chan struct{})
	w := NewWriter(writerFunc(func(b []byte) (int, error) {
		close(arrived)
		return len(b), nil
	}), FramingHeader, func(error) {})
	s := testStream(strings.NewReader(""), w)
	var scope conc.WaitGroup
	defer scope.Wait()
	scope.Go(w.Run)
	s.begin(id)
	s.mu.Lock()
	scope.Go(func() { _, _ = s.Write(t.Context(), jsonrpc2.NewResponse(id, []byte(`1`), nil)) })
	select {
	case <-arrived:
		t.Error("the answer left before its id was free")
	case <-time.After(50 * time.Millisecond):
	}
	s.mu.Unlock()
	<-arrived
	w.Close()
}
