package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// kind is the first letter of a record.
type kind byte

const (
	times    kind = 'T' // of a directory, before the first change of a name in it
	created  kind = 'C' // a name is made, of something new
	linked   kind = 'L' // a name is made, of something that has one
	removed  kind = 'U' // a name goes; Kept is what had it
	rmdir    kind = 'D' // an empty directory goes; Size is when it was made
	renamed  kind = 'R' // Path becomes To
	exchange kind = 'X' // Path, which Info is about, and To, of inode Size and change time MTime, change places
	written  kind = 'W' // Kept is a copy of what is written to
	mode     kind = 'M' // mode, owner or times change
	attr     kind = 'A' // an extended attribute changes; To is its name, Kept its value
	settled  kind = 'S' // CTime of Info (of a directory, when it was made), 0 for the next one, stands for MTime of To, an inode; ATime is the file's MTime then
	anew     kind = 'I' // To, an inode of change time ATime, is in the place of what had Ino from Size to MTime; CTime is until when that was undone
	making   kind = 'B' // Path is going to be made by the undo
	reached  kind = 'P' // what the log of inode Ino has from Size on was taken back, or is left in the lines before
	refused  kind = 'N' // the Size records before, but for times, are of refused calls
	final    kind = 'F' // a directory, whose mode was changed, was so when the command had ended
	theirs   kind = 'O' // somebody else left what Info is about so, while the command ran; of a directory, CTime is when it was made; 0 is always
	mine     kind = 'Y' // Kept is what the command made on Dev, see owned
	returned kind = 'K' // an undo has put back what Info is about
	ended    kind = 'E' // the command has ended
)

// Info is what stat(2) says. Times are nanoseconds of the real-time clock.
type Info struct {
	Dev, Ino            uint64
	Mode, UID, GID      uint32
	Size                int64
	MTime, ATime, CTime int64
}

// record is one line of a log: the kind, and the members that it has.
type record struct {
	kind kind
	path string
	to   string // see kind
	kept string // names what was kept in the entry, "" where nothing was; of rmdir, the attributes
	why  string // nothing was kept
	info Info
	end  int64 // of ended: when, by the clock that change times are of
	rule bool  // of what was there: a rule of protect was about the name already
	Counts
}

// Counts sums up what a command did, in names of files.
type Counts struct {
	Created  int64 `json:"created"`
	Modified int64 `json:"modified"`
	Deleted  int64 `json:"deleted"`
	Renamed  int64 `json:"renamed"`
	Bytes    int64 `json:"bytes"`  // that are kept
	Unkept   int64 `json:"unkept"` // changes that can't be undone
}

var errTorn = errors.New("the log has a line that is no record")

func parse(line []byte) (r record, err error) {
	rest := string(line)
	if len(rest) < 2 {
		return r, errTorn
	}
	r.kind, rest = kind(rest[0]), rest[1:]
	for _, s := range []*string{&r.path, &r.to, &r.kept, &r.why} {
		quoted, err := strconv.QuotedPrefix(strings.TrimPrefix(rest, " "))
		if err != nil {
			return r, errTorn
		}
		rest = rest[1+len(quoted):]
		*s, _ = strconv.Unquote(quoted) // QuotedPrefix has seen that it is one
	}
	if r.kind == ended {
		_, err = fmt.Sscan(rest, &r.end, &r.Created, &r.Modified, &r.Deleted, &r.Renamed, &r.Bytes, &r.Unkept)
		return r, err
	}
	i := &r.info
	rest, r.rule = strings.CutSuffix(rest, ruled)
	_, err = fmt.Sscan(rest, &i.Dev, &i.Ino, &i.Mode, &i.UID, &i.GID, &i.Size, &i.MTime, &i.ATime, &i.CTime)
	return r, err
}

// ruled ends the line of a record whose name a rule was about.
const ruled = " r"

// each reads a log from its beginning. A record that was cut off at its end was never done.
func each(log io.Reader, f func(record)) error {
	in := bufio.NewReaderSize(log, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r, err := parse(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			return err
		}
		f(r)
	}
}

// maxAttempt is how many records of one change there are at most: what has the new name
// of a rename, whose it is, and its mode, the rename, and the times of both directories.
const maxAttempt = 6

// eachDone leaves out what the kernel refused.
func eachDone(log io.Reader, f func(record)) error {
	var held []record
	err := each(log, func(r record) {
		if r.kind == refused {
			held = held[:len(held)-min(int(r.info.Size), len(held))]
			return
		}
		if held = append(held, r); len(held) > maxAttempt {
			f(held[0])
			held = append(held[:0], held[1:]...)
		}
	})
	for _, r := range held {
		f(r)
	}
	return err
}

// String says what a command did, for a person: "2 changed, 3 deleted".
func (c Counts) String() string {
	var parts []string
	for _, n := range []struct {
		n    int64
		what string
	}{{c.Modified, "changed"}, {c.Deleted, "deleted"}, {c.Renamed, "renamed"}, {c.Created, "new"}} {
		if n.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.what))
		}
	}
	return strings.Join(parts, ", ")
}

// Add sums up.
func (c *Counts) Add(o Counts) {
	c.Created += o.Created
	c.Modified += o.Modified
	c.Deleted += o.Deleted
	c.Renamed += o.Renamed
	c.Bytes += o.Bytes
	c.Unkept += o.Unkept
}
