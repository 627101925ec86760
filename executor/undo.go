package executor

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/executor/caches"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/sandbox/journal"
)

// What is kept of one workspace: at most so many bytes, for at most so long.
const (
	journalBytes = 4 << 30
	journalAge   = 14 * 24 * time.Hour
)

// journaled makes the directory in which is kept what commands of a policy change, and
// puts it in the policy. Where none can be made, nothing is kept: the result has no
// effects then.
func (e *Engine) journaled(p *sandbox.Policy, folders []string) {
	if e.conf.JournalDir == "" || p.Mode != sandbox.WorkspaceWrite || len(folders) == 0 {
		return
	}
	dir := journalOf(e.conf.JournalDir, folders)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		e.conf.Log.Warn("nothing is kept of what commands change", "error", err)
		return
	}
	p.Journal = dir
	e.trims.Do(func() { e.trimming.Go(func() { _ = journal.Open(dir, nil).Trim(journalBytes, journalAge) }) })
}

// settled is a verdict without the questions that need no answer: about what comes back,
// about programs that are the sandbox's own, and about what the sandbox refuses whatever
// the answer is.
func (e *Engine) settled(v guard.Verdict, r Request, facts guard.Facts) guard.Verdict {
	p, planned := facts.(planned)
	if v.Decision != guard.Ask || !planned {
		return v
	}
	effective, err := e.conf.Sandbox.Assess(p.policy)
	if err != nil || !slices.Contains(effective.Backend, "seccomp") { // who answers calls keeps what they destroy
		return v
	}
	var losses []guard.Loss
	if p.policy.Journal != "" && journal.Supported && !e.isUnkept(r) {
		losses = append(losses, guard.LossWorkspace)
	}
	if !slices.Contains(effective.Backend, "pidns") {
		return v.Spared(losses...)
	}
	return v.Spared(append(losses, guard.LossProcesses)...).InSandbox(p.policy.Writable)
}

// isUnkept says that what a command destroys has turned out to be more than can be kept:
// then it is asked about.
func (e *Engine) isUnkept(r Request) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.unkept[textOf(r)]
}

// maxUnkept bounds the commands that are asked about because they can't be kept.
const maxUnkept = 256

// tooMuch remembers commands of which not all could be kept.
func (e *Engine) tooMuch(r Request, violations []sandbox.Violation) {
	if !slices.ContainsFunc(violations, func(v sandbox.Violation) bool { return v.Rule == sandbox.RuleUndo }) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.unkept) < maxUnkept {
		e.unkept[textOf(r)] = true
	}
}

// journalOf is where a workspace's changes are kept.
func journalOf(dir string, folders []string) string {
	return filepath.Join(dir, caches.Key(sandbox.Policy{}, folders[:1]))
}

// entryMeta is kept with an entry, as quoted lines in this order.
type entryMeta struct {
	ID      string // of the run: an execId may come again
	ExecID  string
	Command string
	Undoes  string // the execId that it has undone
	At      time.Time
	Roots   []string
}

// maxMeta bounds the text of a command that is kept.
const maxMeta = 4096

func metaOf(m entryMeta) []byte {
	if m.Command = strings.ToValidUTF8(m.Command, "\uFFFD"); len(m.Command) > maxMeta {
		m.Command = m.Command[:maxMeta] + " …"
	}
	var b []byte
	for _, s := range append([]string{m.ID, m.ExecID, m.Command, m.Undoes, m.At.Format(time.RFC3339Nano)}, m.Roots...) {
		b = append(strconv.AppendQuoteToASCII(b, s), '\n')
	}
	return b
}

// readMeta is not ok for what was cut off.
func readMeta(b []byte) (m entryMeta, ok bool) {
	var lines []string
	for line := range strings.Lines(string(b)) {
		s, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return m, false
		}
		lines = append(lines, s)
	}
	if len(lines) < 6 {
		return m, false
	}
	at, err := time.Parse(time.RFC3339Nano, lines[4])
	return entryMeta{ID: lines[0], ExecID: lines[1], Command: lines[2], Undoes: lines[3], At: at, Roots: lines[5:]}, err == nil
}

// journalEntry names what is kept of a step.
func (s *step) journalEntry() (name, meta string) {
	s.kept, meta = s.journalName()
	return s.kept, meta
}

// journalName names one more of what is kept of a command; "" where nothing is.
func (l *life) journalName() (name, meta string) {
	if l.policy.Journal == "" {
		return "", ""
	}
	now := time.Now()
	if l.undoID == "" {
		l.undoID = shortID(now)
	}
	meta = string(metaOf(entryMeta{ID: l.undoID, ExecID: l.req.ID, Command: textOf(l.req), At: now, Roots: l.policy.Writable}))
	return journal.NewName(now, l.req.ID), meta
}

// shortID names a run by its time, shortly enough to be typed.
func shortID(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 36) }

// textOf is the text of a request without the secrets in it, as the audit log has it.
func textOf(r Request) string {
	if len(r.Argv) > 0 {
		return strings.Join(guard.RedactArgv(r.Argv), " ")
	}
	return guard.Redact(cmp.Or(r.Command, strings.Join(r.Commands, "\n")))
}

// Effects are what a command did to the workspace.
type Effects struct {
	ID string // names it for an undo, also in later sessions
	journal.Counts
	First []journal.Change // the first of them, at most maxEffects
}

const maxEffects = 64

// effects is nil where nothing was changed, or nothing is kept.
func (l *life) effects() *Effects {
	var out *Effects
	for _, s := range l.steps {
		if s.kept == "" {
			continue
		}
		store := journal.Open(l.policy.Journal, nil)
		counts, ok := store.Counts(s.kept)
		if !ok || counts == (journal.Counts{}) {
			continue
		}
		if out == nil {
			out = &Effects{ID: l.undoID}
		}
		out.Add(counts)
		_ = store.Changes(s.kept, func(c journal.Change) bool { // what can't be read is not listed
			out.First = append(out.First, c)
			return len(out.First) < maxEffects
		})
	}
	return out
}

// Undoable is a command that can be undone, or an undo.
type Undoable struct {
	ID      string    `json:"id"` // names it in this workspace
	ExecID  string    `json:"execId"`
	Command string    `json:"command"`
	Undoes  string    `json:"undoes,omitzero"` // of an undo: what it has undone
	At      time.Time `json:"startedAt"`
	Ended   bool      `json:"ended"` // false: it runs, or was cut off
	journal.Counts
	entries []string // the newest first
	roots   []string
	store   *journal.Store
}

// Journal is what is kept of one workspace: of each of its folders, because the folder
// that was the first one when a command ran may be another one now.
type Journal struct{ stores []*journal.Store }

// OpenJournal opens what sessions on a workspace have kept below dir.
func OpenJournal(dir string, folders []string) *Journal {
	j := new(Journal)
	for i := range folders {
		if dir != "" {
			j.stores = append(j.stores, journal.Open(journalOf(dir, folders[i:]), folders))
		}
	}
	return j
}

// List are the commands, the newest first.
func (j *Journal) List() ([]Undoable, error) {
	var out []Undoable
	for _, s := range j.stores {
		items, err := s.List()
		if err != nil {
			return nil, err
		}
		out = listed(out, s, items)
	}
	out = slices.DeleteFunc(out, func(u Undoable) bool { // an undo that left everything alone is not the last command
		return u.Ended && u.Counts == journal.Counts{}
	})
	if len(j.stores) > 1 {
		slices.SortStableFunc(out, func(a, b Undoable) int { return b.At.Compare(a.At) })
	}
	return out, nil
}

func listed(out []Undoable, s *journal.Store, items []journal.Item) []Undoable {
	for _, i := range items {
		m, ok := readMeta(i.Meta)
		if !ok {
			continue // cut off before anything was changed
		}
		at := slices.IndexFunc(out, func(u Undoable) bool { return u.store == s && u.ID == m.ID && u.ExecID == m.ExecID })
		if at < 0 {
			out = append(out, Undoable{ID: m.ID, ExecID: m.ExecID, Command: m.Command, Undoes: m.Undoes, At: m.At, Ended: true, store: s})
			at = len(out) - 1
		}
		u := &out[at]
		u.Add(i.Counts)
		u.At, u.Ended = m.At, u.Ended && !i.Ended.IsZero()
		u.entries, u.roots = append(u.entries, i.Name), m.Roots
	}
	return out
}

// ErrNothingKept is a command of which nothing is kept: it changed nothing, or was
// undone, or is too old.
var ErrNothingKept = errors.New("nothing is kept of this command")

// find is a command by its execId or its id; "" is the last one.
func (j *Journal) find(execID string) (Undoable, error) {
	list, err := j.List()
	if err != nil {
		return Undoable{}, err
	}
	for _, u := range list {
		if execID == "" || u.ExecID == execID || u.ID == execID {
			return u, nil
		}
	}
	return Undoable{}, ErrNothingKept
}

// Changes are what a command did, in its order, until f returns false.
func (j *Journal) Changes(execID string, f func(journal.Change) bool) error {
	u, err := j.find(execID)
	for _, name := range slices.Backward(u.entries) {
		if err == nil {
			err = u.store.Changes(name, f)
		}
	}
	return err
}

// Undo takes a command back; "" is the last one. Files that were changed since stay,
// unless it is forced. The undo is kept under an id of its own.
func (j *Journal) Undo(execID string, o journal.Options) (u Undoable, r journal.Result, err error) {
	for _, s := range j.stores {
		defer s.Lock()() // who asks for the same one again finds that nothing is kept of it
	}
	if u, err = j.find(execID); err != nil {
		return u, r, err
	}
	u.store.Roots = u.roots
	own := "undo-" + shortID(time.Now())
	for _, name := range u.entries {
		now := time.Now()
		o.Name = journal.NewName(now, own)
		o.Meta = metaOf(entryMeta{ID: own, ExecID: own, Command: "undo of " + u.Command, At: now, Roots: u.roots, Undoes: u.ExecID})
		one, err := u.store.Undo(name, o)
		r.Restored, r.Removed = r.Restored+one.Restored, r.Removed+one.Removed
		r.Left, r.LeftMore = append(r.Left, one.Left...), r.LeftMore+one.LeftMore
		if err != nil {
			return u, r, err
		}
	}
	r.Entry = own
	return u, r, nil
}

// Journal is the one of a workspace.
func (e *Engine) Journal(folders []string) *Journal { return OpenJournal(e.conf.JournalDir, folders) }
