package refs

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// index is what an index says of notable names, and what it hides.
type index struct {
	stamp   stamp
	sure    bool
	entries map[string]entry
	hidden  []string // what is taken for unchanged, as git ls-files -v has it
	err     error    // it is not understood; git is asked instead
}

// same says that it is the one of before.
func (i index) same(was index) bool { return i.stamp == was.stamp && was.sure }

// entry is what a name stands for.
type entry struct{ mode, oid string }

// brought says that a path is a file that a program of the user's obeys: no command may make it.
func brought(path string) bool { return !protect.Locate(path).Permits(protect.Create, false) }

// indexOf reads an index, or what it was read as before. Which directories hold a HEAD is
// asked each time.
func (s Sight) indexOf(path, top string) index {
	i, known := index{}, heads{top: top, in: map[string]bool{}}
	i.stamp, i.sure = stampOf(path)
	c, ok := kept.get(path, i.stamp)
	if !ok || !i.sure || c.index == nil || !slices.Equal(c.index.pointed, s.Pointed) {
		if c.index = s.readIndex(path, top); i.sure && i.stamp != (stamp{}) {
			s.keep(path, cached{stamp: i.stamp, index: c.index})
		}
	}
	i.entries, i.hidden, i.err = map[string]entry{}, c.index.hidden, c.index.err
	for name, e := range c.index.entries {
		if s.notableBy(known, name, e.mode) {
			i.entries[name] = e
		}
	}
	return i
}

func (s Sight) readIndex(path, top string) *indexed {
	i := &indexed{pointed: s.Pointed}
	data, err := readFile(path, maxIndex)
	if errors.Is(err, os.ErrNotExist) || err == nil && data == "" {
		return i
	}
	maybe := heads{top: top, any: true}
	i.entries, i.err = parseIndex([]byte(data), func(name, mode string, tag byte) bool {
		if tag != 'H' {
			i.hidden = append(i.hidden, string(tag)+" "+name)
		}
		return s.notableBy(maybe, name, mode)
	})
	return i
}

const maxIndex = 256 << 20

var errIndex = errors.New("an index of another kind")

// parseIndex reads the notable entries, as gitformat-index(5) describes them.
// It takes versions 2 to 4; an extension that git must understand (a split or a sparse
// index) is an error.
func parseIndex(b []byte, notable func(name, mode string, tag byte) bool) (map[string]entry, error) {
	if len(b) < 12+20 || string(b[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if version < 2 || version > 4 {
		return nil, errIndex
	}
	rest, found := b[12:], map[string]entry{}
	last := ""
	for range count {
		const fixed = 62 // up to the flags, with SHA-1
		if len(rest) < fixed {
			return nil, errIndex
		}
		flags := binary.BigEndian.Uint16(rest[60:])
		at, tag := fixed, byte('H') // as git ls-files -v has it
		if flags&0x4000 != 0 {
			at += 2
		}
		if len(rest) <= at {
			return nil, errIndex
		}
		if at > fixed && rest[fixed]&0x40 != 0 {
			tag = 'S'
		}
		if flags&0x8000 != 0 {
			tag += 'a' - 'A'
		}
		name, size, err := entryName(rest[at:], last, version)
		if err != nil {
			return nil, err
		}
		mode := modes(binary.BigEndian.Uint32(rest[24:]))
		if notable(name, mode, tag) {
			found[name] = entry{mode, hex.EncodeToString(rest[40:60])}
		}
		size += at
		if version < 4 { // padded with 1 to 8 zeros
			size = (size + 8) &^ 7
		}
		if size > len(rest) {
			return nil, errIndex
		}
		last, rest = name, rest[size:]
	}
	return found, extensions(rest)
}

// modes spells a mode as git does, which has few.
func modes(mode uint32) string {
	switch mode {
	case 0o100644:
		return "100644"
	case 0o120000:
		return modeLink
	}
	return strconv.FormatUint(uint64(mode), 8)
}

// entryName reads a name, which in version 4 is what differs from the last one.
func entryName(b []byte, last string, version uint32) (name string, size int, err error) {
	if version == 4 {
		cut, n := offset(b)
		if n == 0 || cut > uint64(len(last)) {
			return "", 0, errIndex
		}
		last, b, size = last[:uint64(len(last))-cut], b[n:], n
	} else {
		last = ""
	}
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return "", 0, errIndex
	}
	if version == 4 {
		return last + string(b[:end]), size + end + 1, nil
	}
	return string(b[:end]), size + end, nil
}

// offset is a number of variable length, as that of an offset delta in a pack.
func offset(b []byte) (v uint64, n int) {
	for n < len(b) && n < 9 {
		c := b[n]
		if n++; n > 1 {
			v++
		}
		v = v<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return v, n
		}
	}
	return 0, 0
}

// extensions refuses what changes the meaning of the entries before it: those names
// begin with a small letter.
func extensions(b []byte) error {
	for len(b) > 20 {
		if len(b) < 8 || strings.ToUpper(string(b[:4])) != string(b[:4]) {
			return errIndex
		}
		size := uint64(binary.BigEndian.Uint32(b[4:])) + 8
		if size > uint64(len(b)) {
			return errIndex
		}
		b = b[size:]
	}
	if len(b) != 20 {
		return errIndex // SHA-256, or nonsense
	}
	return nil
}
