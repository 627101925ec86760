package wintoken

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// An access control list as the system hands it out: 8 bytes of header (revision,
// size, count), then entries of type, flags, size, mask and SID. "MS-DTYP" 2.4.5.
// Lists are changed here as bytes, so that every case can be tested anywhere.

const (
	aclHeader = 8
	aceHeader = 4
	aceSID    = 8 // where the SID begins in an entry that allows or denies

	aceAllow = 0
	aceDeny  = 1

	aceToFiles   = 0x1
	aceToDirs    = 0x2
	aceInherited = 0x10
)

// grantMask is what the sandbox's SID is granted in a workspace: read, write,
// execute and delete. Not the right to change rules or owners, with which a command
// could take back what confines the next one; not FILE_DELETE_CHILD, by which it
// could remove what was not granted to it.
const grantMask = 0x1301bf

var errACL = errors.New("an access control list is damaged")

// aceList splits a list.
func aceList(acl []byte) ([][]byte, error) {
	if len(acl) < aclHeader {
		return nil, errACL
	}
	var out [][]byte
	rest := acl[aclHeader:]
	for range binary.LittleEndian.Uint16(acl[4:]) {
		if len(rest) < aceHeader {
			return nil, errACL
		}
		size := int(binary.LittleEndian.Uint16(rest[2:]))
		if size < aceHeader || size > len(rest) {
			return nil, errACL
		}
		out = append(out, rest[:size])
		rest = rest[size:]
	}
	return out, nil
}

// joinEntries makes a list of that revision.
func joinEntries(revision byte, list [][]byte) ([]byte, error) {
	body := bytes.Join(list, nil)
	if len(body)+aclHeader > 0xffff {
		return nil, errors.New("an access control list would be too long")
	}
	acl := []byte{revision, 0}
	acl = binary.LittleEndian.AppendUint16(acl, uint16(aclHeader+len(body)))
	acl = binary.LittleEndian.AppendUint16(acl, uint16(len(list)))
	return append(append(acl, 0, 0), body...), nil
}

// grantEntry allows sid what a command may do, also in what is made below.
func grantEntry(sid []byte) []byte {
	e := []byte{aceAllow, aceToFiles | aceToDirs}
	e = binary.LittleEndian.AppendUint16(e, uint16(aceSID+len(sid)))
	e = binary.LittleEndian.AppendUint32(e, grantMask)
	return append(e, sid...)
}

// isFor says that an entry is for a SID.
func isFor(entry, sid []byte) bool {
	return (entry[0] == aceAllow || entry[0] == aceDeny) && len(entry) == aceSID+len(sid) && bytes.Equal(entry[aceSID:], sid)
}

// granted is the list with an entry for sid: after the ones that deny, before what was
// inherited, which is the order Windows reads lists in.
func granted(acl, sid []byte) ([]byte, error) {
	list, err := aceList(acl)
	if err != nil {
		return nil, err
	}
	at := 0
	for at < len(list) && list[at][0] == aceDeny && list[at][1]&aceInherited == 0 {
		at++
	}
	list = append(list[:at:at], append([][]byte{grantEntry(sid)}, list[at:]...)...)
	return joinEntries(acl[0], list)
}

// revoked is the list without the entries for sid, inherited ones as well; had says
// that there were some.
func revoked(acl, sid []byte) (without []byte, had bool, err error) {
	list, err := aceList(acl)
	if err != nil {
		return nil, false, err
	}
	var keep [][]byte
	for _, e := range list {
		if isFor(e, sid) {
			had = true
			continue
		}
		keep = append(keep, e)
	}
	without, err = joinEntries(acl[0], keep)
	return without, had, err
}

// marked says that a list has an entry of some sandbox.
func marked(acl []byte) (bool, error) {
	list, err := aceList(acl)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list, func(e []byte) bool {
		return e[0] == aceAllow && len(e) > aceSID && bytes.HasPrefix(e[aceSID:], sidMark)
	}), nil
}
