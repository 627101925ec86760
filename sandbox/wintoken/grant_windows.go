package wintoken

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// marker marks everything below a root, or takes the marks away.
type marker struct {
	sid    []byte
	change func(m *marker, f *os.File, s seen) (descend bool, err error)
	count  int
	inUse  error // something could not be opened; a walk that takes back must come again
}

// Grant lets the sandbox of that SID write below root.
func Grant(root, sid string) error {
	_, err := walkMarks(root, sid, (*marker).mark)
	return err
}

// Revoke takes that back.
func Revoke(root, sid string) error {
	m, err := walkMarks(root, sid, (*marker).unmark)
	if err != nil {
		return err
	}
	return m.inUse
}

func walkMarks(root, sid string, change func(*marker, *os.File, seen) (bool, error)) (*marker, error) {
	id, err := windows.StringToSid(sid)
	if err != nil {
		return nil, fmt.Errorf("SID %q: %w", sid, err)
	}
	m := &marker{sid: unsafe.Slice((*byte)(unsafe.Pointer(id)), id.Len()), change: change}
	f, err := openMarked(0, ntPath(filepath.Clean(root)), windows.FILE_LIST_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return m, m.visit(f, "")
}

// visit changes one entry, then what is below it: what is made in a directory from
// now on has inherited its marks.
func (m *marker) visit(f *os.File, rel string) error {
	s, err := look(f, rel)
	if err != nil {
		return err
	}
	descend, err := m.change(m, f, s)
	if err != nil || !descend || !s.dir || s.link {
		return err
	}
	list, err := f.ReadDir(-1)
	if err != nil {
		return err
	}
	for _, e := range list {
		var list uint32 // more than the rules of a file would need it to be open here alone
		if e.IsDir() {
			list = windows.FILE_LIST_DIRECTORY
		}
		below, err := openMarked(windows.Handle(f.Fd()), e.Name(), list)
		switch {
		case err == nil:
		case errors.Is(err, windows.ERROR_ACCESS_DENIED), errors.Is(err, os.ErrNotExist):
			continue // not the user's to grant, or gone: it stays as it is
		case errors.Is(err, windows.ERROR_SHARING_VIOLATION):
			m.inUse = err
			continue
		default:
			return err
		}
		err = m.visit(below, path.Join(rel, e.Name()))
		if err = errors.Join(err, below.Close()); err != nil {
			return err
		}
	}
	return nil
}

// openMarked opens an entry of a directory to change its rules. It is opened by
// the directory's handle and never through a link: a command of another sandbox could
// put a junction in its place, and the rules of what that leads to would be changed.
func openMarked(dir windows.Handle, name string, list uint32) (*os.File, error) {
	text, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return nil, err
	}
	oa := windows.OBJECT_ATTRIBUTES{RootDirectory: dir, ObjectName: text, Attributes: windows.OBJ_CASE_INSENSITIVE}
	oa.Length = uint32(unsafe.Sizeof(oa))
	var h windows.Handle
	var io windows.IO_STATUS_BLOCK
	access := windows.READ_CONTROL | windows.WRITE_DAC | windows.WRITE_OWNER | windows.FILE_READ_ATTRIBUTES | windows.SYNCHRONIZE | list
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const options = windows.FILE_OPEN_REPARSE_POINT | windows.FILE_OPEN_FOR_BACKUP_INTENT | windows.FILE_SYNCHRONOUS_IO_NONALERT
	err = windows.NtCreateFile(&h, access, &oa, &io, nil, 0, share, windows.FILE_OPEN, options, 0, 0)
	if err != nil {
		var status windows.NTStatus
		if errors.As(err, &status) {
			err = status.Errno()
		}
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

// look describes what is open.
func look(f *os.File, rel string) (seen, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return seen{}, os.NewSyscallError("GetFileInformationByHandle", err)
	}
	return seen{
		rel: rel, names: info.NumberOfLinks, link: info.FileAttributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0,
		dir: info.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0,
	}, nil
}

// mark adds the marks, unless there is a reason not to.
func (m *marker) mark(f *os.File, s seen) (descend bool, err error) {
	r, err := readRules(f)
	if err != nil {
		return false, err
	}
	s.open, s.labelled = r.dacl == nil, r.labelled
	if r.dacl != nil {
		if s.ours, err = marked(r.dacl); err != nil {
			return false, err
		}
	}
	if s.unmarked() != "" {
		return false, nil
	}
	m.count++
	if err := tooMany(m.count); err != nil {
		return false, err
	}
	if r.dacl, err = granted(r.dacl, m.sid); err != nil {
		return false, err
	}
	return true, r.write(f, lowLabel(s.dir))
}

// unmark removes this sandbox's, and the label with the last one.
func (m *marker) unmark(f *os.File, s seen) (descend bool, err error) {
	r, err := readRules(f)
	if err != nil || r.dacl == nil {
		return true, err
	}
	var had, others bool
	if r.dacl, had, err = revoked(r.dacl, m.sid); err != nil || !had {
		return true, err
	}
	if others, err = marked(r.dacl); err != nil {
		return true, err
	}
	if others {
		return true, r.write(f, "")
	}
	return true, r.write(f, noLabel)
}

// LockGrants keeps two sidecars from changing one list at the same time, where each
// would undo what the other one did.
func LockGrants(base string) (*os.File, error) {
	path := filepath.Join(base, "granting")
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		f, err := LockAlone(path, windows.OPEN_ALWAYS)
		if err == nil || !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || time.Now().After(until) {
			return f, err
		}
	}
}

// LockAlone opens a file that no other process can open meanwhile.
func LockAlone(path string, how uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, how, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}
