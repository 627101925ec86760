package executor

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

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
		st.spool.hold()
		s.Streams[st.name] = l.savedStream(st)
	}
	e.mu.Lock()
	claim.Saved, claim.streams = s, l.streams
	e.mu.Unlock()
	l.saved = &s
}

func (l *life) savedStream(st *stream) SavedStream {
	kept, _, total := st.spool.hole()
	s := SavedStream{Total: total, Kept: kept, File: l.req.Output.SaveAs}
	if st.name == Stderr {
		s.File += stderrSuffix
	}
	err := st.spool.swap(func(f *os.File) (*os.File, error) { return l.engine.outputs.publish(f, kept, s.File) })
	if err != nil {
		l.engine.conf.Log.Error("a saved output is no file for commands", "execId", l.req.ID, "name", s.File, "error", err)
		s.File = ""
	}
	return s
}

// whole is the request with what it means to save the output: there are no holes
// in it.
func (o OutputRequest) whole() OutputRequest {
	if o.SaveAs != "" && o.OnSpoolFull == "" {
		o.OnSpoolFull = Terminate
	}
	return o
}

// note says in a summary where the output is, for whoever can only run commands.
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
