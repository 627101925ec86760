package wintoken

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sidBytes writes a SID as the system does.
func sidBytes(t *testing.T, text string) []byte {
	t.Helper()
	var n []uint32
	for _, part := range strings.Split(text, "-")[2:] {
		v, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		n = append(n, uint32(v))
	}
	b := []byte{1, byte(len(n) - 1), 0, 0, 0, 0, 0, byte(n[0])}
	for _, v := range n[1:] {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func entry(kind, flags byte, sid []byte) []byte {
	e := grantEntry(sid)
	e[0], e[1] = kind, flags
	return e
}

func list(t *testing.T, es ...[]byte) []byte {
	t.Helper()
	acl, err := joinEntries(2, es)
	if err != nil {
		t.Fatal(err)
	}
	return acl
}

// Windows reads a list from its beginning: an entry that allows, before one that
// denies, would win.
func TestAGrantComesAfterWhatDenies(t *testing.T) {
	own, user := sidBytes(t, NewSID()), sidBytes(t, "S-1-5-21-1-2-3-1001")
	deny, allow := entry(aceDeny, 0, user), entry(aceAllow, 0, user)
	inheritedDeny, inherited := entry(aceDeny, aceInherited, user), entry(aceAllow, aceInherited, user)
	before := list(t, deny, allow, inheritedDeny, inherited)
	got, err := granted(before, own)
	if want := list(t, deny, grantEntry(own), allow, inheritedDeny, inherited); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v\n%x\n%x", err, got, want)
	}
	back, had, err := revoked(got, own)
	if err != nil || !had || !bytes.Equal(back, before) {
		t.Errorf("taken back: %v %v\n%x\n%x", had, err, back, before)
	}
	if back, had, err = revoked(before, own); err != nil || had || !bytes.Equal(back, before) {
		t.Errorf("where there is none: %v %v %x", had, err, back)
	}
}

func TestInheritedMarksGoAsWell(t *testing.T) {
	own, other := sidBytes(t, NewSID()), sidBytes(t, NewSID())
	acl := list(t, grantEntry(own), entry(aceAllow, aceInherited|aceToFiles, own), grantEntry(other))
	back, had, err := revoked(acl, own)
	if err != nil || !had || !bytes.Equal(back, list(t, grantEntry(other))) {
		t.Errorf("%v %v %x", had, err, back)
	}
}

func TestOneSandboxKnowsTheMarksOfAnother(t *testing.T) {
	for range 20 {
		if on, err := marked(list(t, entry(aceAllow, 0, sidBytes(t, sidEveryone)), grantEntry(sidBytes(t, NewSID())))); !on || err != nil {
			t.Fatalf("%v %v", on, err)
		}
	}
	for _, sid := range []string{sidEveryone, "S-1-5-21-1-2-3-1001", "S-1-5-21-2809365734-2-3-4"} {
		if on, err := marked(list(t, entry(aceAllow, 0, sidBytes(t, sid)))); on || err != nil {
			t.Errorf("%s: %v %v", sid, on, err)
		}
	}
	if on, _ := marked(list(t, entry(aceDeny, 0, sidBytes(t, NewSID())))); on {
		t.Error("an entry that denies is no mark")
	}
}

func TestADamagedListIsAnError(t *testing.T) {
	own := sidBytes(t, NewSID())
	whole := list(t, grantEntry(own))
	short := slices.Clone(whole)
	binary.LittleEndian.PutUint16(short[aclHeader+2:], 2)
	for _, acl := range [][]byte{nil, whole[:5], whole[:aclHeader+2], whole[:len(whole)-1], short} {
		if _, err := granted(acl, own); err == nil {
			t.Errorf("%x was taken", acl)
		}
		if _, _, err := revoked(acl, own); err == nil {
			t.Errorf("%x was taken", acl)
		}
	}
	long := make([][]byte, 0xffff/len(grantEntry(own))+1)
	for i := range long {
		long[i] = grantEntry(own)
	}
	if _, err := joinEntries(2, long); err == nil {
		t.Error("a list may have 64 KiB at most")
	}
}

// With the right to change rules a command could open the workspace for others;
// with FILE_DELETE_CHILD it could remove what was kept from it.
func TestWhatIsGranted(t *testing.T) {
	const writeDAC, writeOwner, deleteChild = 0x40000, 0x80000, 0x40
	const all = 0x1301bf // FILE_GENERIC_READ, _WRITE, _EXECUTE and DELETE
	if grantMask != all || grantMask&(writeDAC|writeOwner|deleteChild) != 0 {
		t.Errorf("%#x", grantMask)
	}
}
