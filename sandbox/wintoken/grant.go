package wintoken

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// What a sandbox changes of the user's files. To let a command write, each directory and
// file of a writable root gets two marks: an entry for the sandbox's own SID in its access
// list, and a low label. Both go when the sandbox closes. Files that were made in between
// have inherited them and lose them, too.
//
// The entry is how we know our own work: the SID is made for one sandbox alone. A file
// that carries it loses the label; others are left as they are. So only the roots need to
// be remembered, and the undoing can be repeated: after a kill, or when somebody changed
// the rules meanwhile.

// Record is written into the sandbox's directory before anything is changed,
// and read by the next start, should we be killed.
type Record struct {
	SID   string
	Roots []string
}

const grantHeader = "pillion grants 2\n"

// Encode is what is written.
func (g Record) Encode() []byte { return append([]byte(grantHeader), wire.Encode(g)...) }

// DecodeRecord reads a record. One that was cut off was not finished, so that
// nothing had been changed yet: it is an error, and nothing is to be undone.
func DecodeRecord(b []byte) (g Record, err error) {
	text, ok := bytes.CutPrefix(b, []byte(grantHeader))
	if !ok || wire.Decode(text, &g) != nil {
		return Record{}, fmt.Errorf("the record of changed access rules is damaged: %.40q", b)
	}
	return g, nil
}

// mostMarked bounds how many files and directories one root may have: each is opened
// twice, so that more would take minutes.
const mostMarked = 200_000

// tooMany refuses a root with more.
func tooMany(count int) error {
	if count <= mostMarked {
		return nil
	}
	return fmt.Errorf("more than %d files: too many to make writable one by one", mostMarked)
}

// seen is what decides about one file or directory below a root.
type seen struct {
	link     bool // a symbolic link, junction or other reparse point
	dir      bool
	names    uint32 // hard links
	labelled bool   // it has an integrity label
	ours     bool   // with which another sandbox marked it
	open     bool   // it has no access list at all
	rel      string // below the root, with slashes; "" is the root itself
}

// unmarked says why something in a root stays as it is, "" where it is marked. All
// of these fail closed: what is not marked can't be written.
func (s seen) unmarked() string {
	switch {
	case s.link:
		return "link" // it may lead outside, and marking would follow it
	case !s.dir && s.names > 1:
		return "hard link" // its other name may be a store that other projects use
	case s.open:
		return "no rules" // to add one would take everybody else's away
	case s.labelled && !s.ours:
		return "label" // it is another program's, and we could not restore it
	case s.rel != "" && sealed(protect.Locate(s.rel), s.dir):
		return "protected"
	}
	return ""
}

// sealed says that nothing may be changed in a directory, or in a file. An unmarked file
// is kept as it is while it is there. A name that is not there yet can't be kept by rules,
// and a directory above can be renamed: that is why fsWrite is not more than partial where
// a workspace can be written.
func sealed(z protect.Zone, dir bool) bool {
	if dir {
		return z.Always == 0
	}
	return !z.Permits(protect.Write, false)
}

// PlanGrants is what a policy's commands may write besides their own home and TEMP,
// which are new and need no record.
func PlanGrants(sid string, p policy.Policy) Record {
	g := Record{SID: sid}
	if p.Mode == policy.WorkspaceWrite {
		g.Roots = append(g.Roots, p.Writable...)
	}
	g.Roots = append(g.Roots, p.Caches...)
	return g
}

// NewSID is a new one: in the form of a domain's, beginning as all of ours do, with 64
// random bits.
func NewSID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%d-%d", sidPrefix, binary.LittleEndian.Uint32(b[:4]), binary.LittleEndian.Uint32(b[4:]))
}

// sidPrefix begins the SIDs of all sandboxes, so that one knows another's marks.
// The numbers are random, too: no domain of the world has both.
const sidPrefix = "S-1-5-21-2809365734-1627044851"

// sidMark is how they look in an access list.
var sidMark = []byte{1, 5, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0, 0xe6, 0x84, 0x73, 0xa7, 0xf3, 0xbb, 0xfa, 0x60}
