package executor

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/executor/spool"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Saved is output that is kept under a name until it is released, whatever makes
// room otherwise.
type Saved struct {
	Name    string
	ID      string // execId of the command that wrote it; another one may have it by now
	Command string
	At      time.Time // when the command ended
	Streams map[Stream]SavedStream
}

// SavedStream is one stream of a Saved.
type SavedStream struct {
	Total int64  // bytes the command wrote
	Kept  int64  // of those, from the first one on; less than Total where there was no room for more
	File  string // name below PILLION_OUTPUTS; "" where there could be none
}

// Bytes are those that are kept.
func (s *Saved) Bytes() (n int64) {
	for _, st := range s.Streams {
		n += st.Kept
	}
	return n
}

// Whole says that everything the command wrote is kept.
func (s *Saved) Whole() bool {
	for _, st := range s.Streams {
		if st.Kept < st.Total {
			return false
		}
	}
	return true
}

// savedOutput is a name that is taken: by a run that is live, or by what one has
// written.
type savedOutput struct {
	Saved
	run     *Run      // nil when it has ended
	streams []*stream // held; nil until there is something saved
}

// stderrSuffix is what the file of stderr has after the name.
const stderrSuffix = ".stderr"

// validSaved says whether output may have that name. It is the name of a file that
// commands are given: a slash would lead out of the directory, a dot hide it, and a dash
// in front make it an option of "grep x *".
func validSaved(name string) bool {
	return sandbox.ValidName(name) && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "-") && !strings.HasSuffix(name, stderrSuffix)
}

// checkSaved refuses what output can't be saved as, and to save output that would
// have holes.
func (e *Engine) checkSaved(o OutputRequest) error {
	switch {
	case o.SaveAs == "":
		return nil
	case e.outputs.dir == "":
		return &ParamError{Path: "/output/saveAs", Expected: "no name: there is no directory for saved outputs here", Got: fmt.Sprintf("%.80q", o.SaveAs)}
	case !validSaved(o.SaveAs):
		return &ParamError{
			Path: "/output/saveAs", Got: fmt.Sprintf("%.80q", o.SaveAs),
			Expected: "1 to 64 of A-Za-z0-9._-, beginning with none of . and -, and not ending in " + stderrSuffix,
		}
	case o.OnSpoolFull == DropMiddle:
		return &ParamError{Path: "/output/onSpoolFull", Expected: `"terminate" or "block": a saved output has no holes`, Got: `"dropMiddle"`}
	case o.SpoolTailBytes != 0:
		return &ParamError{Path: "/output/spoolTailBytes", Expected: "none: a saved output has no holes", Got: fmt.Sprint(o.SpoolTailBytes)}
	}
	return nil
}

// savable says whether there is room beside what is saved, and whether one more
// output can be, under that name. Called with mu held.
func (e *Engine) savable(o OutputRequest) error {
	if s := e.saved[o.SaveAs]; s != nil {
		state := StateFinished
		id := s.ID
		if s.run != nil {
			state, id = s.run.state, s.run.req.ID
		}
		return &NameTakenError{Name: o.SaveAs, ID: id, State: state}
	}
	if e.savedFill() || o.SaveAs != "" && len(e.saved) >= e.conf.Limits.MaxSaved {
		return &BusyError{Running: e.running, Queued: len(e.waiting), RetryAfter: time.Second, Saved: e.savedNames()}
	}
	return nil
}

// savedFill says that what is saved leaves less than one read of a pipe for the
// output of another command. Nothing but a release makes more. Called with mu
// held.
func (e *Engine) savedFill() bool {
	var n int64
	for _, s := range e.saved {
		n += s.Bytes()
	}
	limit := e.conf.Limits.SpoolTotalBytes
	return limit-n < min(spool.ReadSize, limit/2)
}

// claim takes the name for a run. Called with mu held.
func (e *Engine) claim(r *Run) {
	if name := r.req.Output.SaveAs; name != "" {
		e.saved[name] = &savedOutput{run: r}
	}
}

// unclaim ends the run's part in its name, which is free again if nothing was
// saved. Called with mu held.
func (e *Engine) unclaim(r *Run) {
	s := e.saved[r.req.Output.SaveAs]
	switch {
	case s == nil || s.run != r:
	case s.streams == nil:
		delete(e.saved, r.req.Output.SaveAs)
	default:
		s.run = nil
	}
}

// Saved lists what is kept by name, oldest first.
func (e *Engine) Saved() []Saved {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := []Saved{}
	for _, s := range e.saved {
		if s.streams != nil {
			all = append(all, s.Saved)
		}
	}
	slices.SortFunc(all, func(a, b Saved) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Name, b.Name)) })
	return all
}

// savedNames are those of outputs that can be released. Called with mu held.
func (e *Engine) savedNames() []string {
	names := []string{}
	for name, s := range e.saved {
		if s.run == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ReleaseSaved frees a saved output and its name. It reports false, and does
// nothing, if there is none or its command has not ended.
func (e *Engine) ReleaseSaved(name string) bool {
	e.mu.Lock()
	s := e.saved[name]
	if s == nil || s.run != nil {
		e.mu.Unlock()
		return false
	}
	delete(e.saved, name)
	e.mu.Unlock()
	e.free(s)
	return true
}

func (e *Engine) free(s *savedOutput) {
	for _, st := range s.streams {
		e.outputs.remove(s.Streams[st.name].File)
		st.spool.Drop()
	}
}

// SavedReader is Reader for the output that is saved under a name, or will be when
// its command has ended. Errors: *UnknownNameError besides.
func (e *Engine) SavedReader(name string, stream Stream) (*Reader, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.saved[name]
	switch {
	case s == nil:
		return nil, &UnknownNameError{Name: name}
	case s.streams == nil:
		return e.reader(s.run.req.ID, stream)
	}
	r := &Reader{engine: e, id: s.ID, name: stream}
	return r, r.hold(s.streams)
}

// releaseAll frees everything that is saved.
func (e *Engine) releaseAll() {
	e.mu.Lock()
	all := e.saved
	e.saved = map[string]*savedOutput{}
	e.mu.Unlock()
	for _, s := range all {
		e.free(s)
	}
}

// save keeps what the command has written under the name it was given, and makes
// it files for the commands to come. That is done while the command's process tree
// still counts: what is saved when Stop sees no more trees is all there will be.
func (l *life) save() {
	name, e := l.req.Output.SaveAs, l.engine
	e.mu.Lock()
	claim := e.saved[name]
	if name == "" || e.stopping != "" || claim == nil {
		e.mu.Unlock()
		return
	}
	info := l.info()
	e.mu.Unlock()
	s := Saved{Name: name, ID: info.ID, Command: info.Command, At: time.Now(), Streams: map[Stream]SavedStream{}}
	for _, st := range l.streams {
		st.spool.Hold()
		s.Streams[st.name] = l.savedStream(st)
	}
	e.mu.Lock()
	claim.Saved, claim.streams = s, l.streams
	e.mu.Unlock()
	l.saved = &s
}

func (l *life) savedStream(st *stream) SavedStream {
	kept, _, total := st.spool.Hole()
	s := SavedStream{Total: total, Kept: kept, File: l.req.Output.SaveAs}
	if st.name == Stderr {
		s.File += stderrSuffix
	}
	err := st.spool.Swap(func(f *os.File) (*os.File, error) { return l.engine.outputs.publish(f, kept, s.File) })
	if err != nil {
		l.engine.conf.Log.Error("a saved output is no file for commands", "execId", l.req.ID, "name", s.File, "error", err)
		s.File = ""
	}
	return s
}

// whole is the request as saving the output demands: without holes.
func (o OutputRequest) whole() OutputRequest {
	if o.SaveAs != "" && o.OnSpoolFull == "" {
		o.OnSpoolFull = Terminate
	}
	return o
}

// note says in a summary where the output is, for a model that can only run commands.
func (s *Saved) note() string {
	var files []string
	for name, st := range s.Streams {
		if st.Total == 0 && name == Stderr {
			continue
		}
		text := fmt.Sprintf("$PILLION_OUTPUTS/%s (%d bytes)", st.File, st.Total)
		switch {
		case st.File == "":
			text = fmt.Sprintf("%s (%d bytes, no file)", name, st.Kept)
		case st.Kept < st.Total:
			text = fmt.Sprintf("$PILLION_OUTPUTS/%s (the first %d of %d bytes: there was no room for more)", st.File, st.Kept, st.Total)
		}
		files = append(files, text)
	}
	slices.Sort(files)
	return "Saved: " + strings.Join(files, ", ")
}
