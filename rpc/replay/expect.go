package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// anyID stands for a response to whatever: what answers a frame that is no proper
// request may have its id or null.
const anyID = "<any>"

// want is an expectation with its names filled in.
type want struct {
	frame
	id      string // as JSON, "" if any or to be bound
	bind    string // the name a server request's id is kept under
	pattern string
}

func (r *run) want(f frame) (want, error) {
	w := want{frame: f, pattern: r.vars.expand(f.body)}
	name, isName := strings.CutPrefix(f.id, "$")
	if isName && f.method != "" && r.vars[name] == nil {
		w.bind = name
		return w, nil
	}
	if f.id == "" || f.id == anyID {
		return w, nil
	}
	id, err := f.idJSON(r.vars)
	w.id = id
	return w, err
}

// addressed reports whether m is the message w is about, whatever it holds.
func (w *want) addressed(m *Message) bool {
	switch {
	case w.method != m.Method:
		return false
	case w.bind != "":
		return m.ID != nil
	case w.frame.id == anyID:
		return true
	}
	return w.id == string(m.ID)
}

// fits compares an addressed message with w and answers what it keeps.
func (w *want) fits(m *Message, known vars) (vars, error) {
	got := m.Params
	switch {
	case w.method != "":
	case w.isError:
		if err := w.fitsError(m); err != nil {
			return nil, err
		}
		got = m.Error.Data
	case m.Error != nil:
		return nil, errors.New("an error: " + short(m.Raw))
	default:
		got = m.Result
	}
	kept, err := match(w.pattern, got, known, w.exact)
	if err == nil && w.bind != "" {
		if kept == nil {
			kept = vars{}
		}
		kept[w.bind] = m.ID
	}
	return kept, err
}

func (w *want) fitsError(m *Message) error {
	switch {
	case m.Error == nil:
		return errors.New("a result: " + short(m.Raw))
	case w.code != "<any>" && w.code != strconv.Itoa(m.Error.Code):
		return fmt.Errorf("error %d %q", m.Error.Code, m.Error.Message)
	case w.message != "" && w.message != m.Error.Message:
		return fmt.Errorf("the message %q", m.Error.Message)
	}
	return nil
}

// expect waits for one message after the cursor.
func (r *run) expect(ctx context.Context, st statement) error {
	return r.expectAll(ctx, []statement{st})
}

// expectAll waits until every expectation took a message of its own.
func (r *run) expectAll(ctx context.Context, list []statement) error {
	open := make([]*want, len(list))
	for i, st := range list {
		w, err := r.want(st.frame)
		if err != nil {
			return err
		}
		if err := r.tooLate(w); err != nil {
			return err
		}
		open[i] = &w
	}
	left, last, near := len(list), r.cursor, error(nil)
	err := r.client.inbox.wait(ctx, r.cursor, func(m *Message) (bool, error) {
		for i, w := range open {
			if w == nil || !w.addressed(m) {
				continue
			}
			kept, err := w.fits(m, r.vars)
			if err != nil && r.o.Update && w.exact {
				kept, err = nil, r.rewrite(list[i], w, m)
			}
			if err != nil {
				if near = err; w.method == "" { // its only response: no use in waiting
					return false, err
				}
				continue
			}
			maps.Copy(r.vars, kept)
			open[i], last = nil, m.Index+1
			left--
			break
		}
		if left > 0 {
			return false, r.hopeless(open, m)
		}
		return true, nil
	})
	if err != nil {
		return explain(err, near)
	}
	r.cursor = last
	return nil
}

// tooLate fails for a response that came before what was last expected.
func (r *run) tooLate(w want) error {
	if w.method != "" || w.id == "null" || w.frame.id == anyID {
		return nil
	}
	all, _, _ := r.client.inbox.snapshot(0)
	for _, m := range all[:min(r.cursor, len(all))] {
		if m.Response(w.id) && m.Index >= r.sent[w.id].frames {
			return fmt.Errorf("the response came earlier, as frame %d: %s", m.Index, short(m.Raw))
		}
	}
	return nil
}

// hopeless fails when m, a response, has closed the token an open expectation
// waits for: nothing can come on it any more.
func (r *run) hopeless(open []*want, m *Message) error {
	if m.Method != "" || r.client.inbox.len() > m.Index+1 {
		return nil
	}
	for _, w := range open {
		if w == nil || w.method != "$/progress" || w.pattern == "" {
			continue
		}
		var p struct {
			Token jsontext.Value `json:"token"`
		}
		if json.Unmarshal([]byte(w.pattern), &p) == nil && p.Token != nil && !r.client.watch.laneOpen(string(p.Token), m.Index) {
			return fmt.Errorf("the exec is over: %s", short(m.Raw))
		}
	}
	return nil
}

func explain(err, near error) error {
	if near == nil || errors.Is(err, near) {
		return err
	}
	return fmt.Errorf("%w; the nearest: %w", err, near)
}

// expectBytes waits for the next bytes of one stream.
func (r *run) expectBytes(ctx context.Context, w streamWant) error {
	token := r.vars.token(w.token)
	text := r.vars.text(w.text)
	var got []byte
	err := r.client.inbox.wait(ctx, 0, func(*Message) (bool, error) {
		var enough, open bool
		got, enough, open = r.client.watch.take(token, w.stream, len(text))
		if !enough && !open {
			return false, fmt.Errorf("only %q came", got)
		}
		return enough, nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("%w; came so far: %q", err, got)
	case string(got) != text:
		return fmt.Errorf("%q", got)
	}
	return nil
}

// token is a token as JSON: a number stays one.
func (v vars) token(s string) string {
	s = v.text(s)
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return s
	}
	return string(quote(s))
}

// never fails if a matching message comes after the cursor within d.
func (r *run) never(ctx context.Context, f frame, d time.Duration) error {
	w, err := r.want(f)
	if err != nil {
		return err
	}
	over := errors.New("quiet")
	ctx, cancel := context.WithTimeoutCause(ctx, d, over)
	defer cancel()
	err = r.client.inbox.wait(ctx, r.cursor, func(m *Message) (bool, error) {
		if !w.addressed(m) {
			return false, nil
		}
		anyResponse := w.method == "" && f.body == "" && !w.isError
		if _, err := w.fits(m, r.vars); err != nil && !anyResponse {
			return false, nil
		}
		return false, fmt.Errorf("frame %d: %s", m.Index, short(m.Raw))
	})
	if errors.Is(err, over) || errors.Is(err, errEnded) {
		return nil
	}
	return err
}
