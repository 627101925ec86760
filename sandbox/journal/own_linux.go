package journal

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
)

// owned is what a command made itself, and when each was made, 0 where that is not known:
// the number of what is gone is given again. No record is about what is in a directory of
// the command's. So this is written in its end, or an undo would take away with the
// directory what another command has put there.
type owned map[files.ID]int64

func (o owned) has(id files.ID) bool {
	_, has := o[id]
	return has
}

// maxListed is how much of it one record holds.
const maxListed = 4096

// listOwn writes it. What was too much to be known is not written, and times decide.
func (e *Entry) listOwn() error {
	if !e.nests || len(e.own) == maxKnown {
		return nil
	}
	ids := slices.SortedFunc(maps.Keys(e.own), func(a, b files.ID) int {
		return cmp.Or(cmp.Compare(a.Dev, b.Dev), cmp.Compare(a.Ino, b.Ino))
	})
	for {
		n := min(maxListed, len(ids))
		if n > 0 {
			for n = 1; n < min(maxListed, len(ids)) && ids[n].Dev == ids[0].Dev; {
				n++
			}
		}
		if err := e.write(e.own.record(ids[:n])); err != nil {
			return err
		}
		if ids = ids[n:]; len(ids) == 0 {
			return nil
		}
	}
}

// record has numbers and times as differences from those before.
func (o owned) record(ids []files.ID) record {
	r := record{kind: mine}
	var b []byte
	var was files.ID
	var born int64
	for _, id := range ids {
		b = append(strconv.AppendUint(b, id.Ino-was.Ino, 36), ' ')
		b = append(strconv.AppendInt(b, o[id]-born, 36), ' ')
		was, born, r.info.Dev = id, o[id], id.Dev
	}
	r.kept = string(b)
	return r
}

// add reads a record.
func (o owned) add(r record) {
	var ino uint64
	var born int64
	words := strings.Fields(r.kept)
	for i := 0; i+1 < len(words); i += 2 {
		more, _ := strconv.ParseUint(words[i], 36, 64) // as record has written them
		later, _ := strconv.ParseInt(words[i+1], 36, 64)
		ino, born = ino+more, born+later
		o[files.ID{Dev: r.info.Dev, Ino: ino}] = born
	}
}

// madeBy says that something in a directory of the command's, which was changed last while
// the command ran, is of the command. at is what it stands for by what undos have put back,
// and is what it is, which was made at a time.
func (u *undo) madeBy(at, is stamp, born int64) bool {
	if u.own == nil { // the command was killed, or made too much
		older := born > 0 && born < u.began
		return !older || u.placed[at] || u.cutOff
	}
	made, own := u.own[at.ID]
	return own && (at != is || made == 0 || born == 0 || made == born) && made <= at.at
}

// changedBy remembers what other commands have begun to write to while this one ran.
func (u *undo) changedBy(r record) {
	if id := r.stamp().ID; u.began <= r.info.CTime && r.info.CTime <= u.end {
		if first, had := u.wrote[id]; !had || r.info.CTime < first {
			u.wrote[id] = r.info.CTime
		}
	}
}

// isTheirs says that a file was left so by somebody else, while the command ran.
func (u *undo) isTheirs(at stamp) bool {
	first, wrote := u.wrote[at.ID]
	return u.theirs[at] || u.theirs[stamp{ID: at.ID}] || wrote && first < at.at && at.at <= u.end
}

// wroteTo says what others have written to: as it is, or, where it is gone, whatever of it
// comes back.
func (e *Entry) wroteTo(w *watched, host Parent) {
	if e.final(w.path, host, theirs, w.id) {
		return
	}
	delete(e.own, w.id)
	gone := record{kind: theirs, path: w.path, info: Info{Dev: w.id.Dev, Ino: w.id.Ino, Mode: unix.S_IFREG}}
	_ = e.write(gone) // without it, times count alone
}
