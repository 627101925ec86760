package journal

import (
	"errors"

	"golang.org/x/sys/unix"
)

func (u *undo) leave(path, why string) {
	u.stuck[path] = true
	if len(u.Left) < maxLeft {
		u.Left = append(u.Left, Left{path, why})
	} else {
		u.LeftMore++
	}
}

// leaves is leave for a step. What has only lost its content gets its name and mode back,
// what is not there may have an older one in its place, and what was in a directory comes
// back beside what was put there.
func (u *undo) leaves(r record, err error) {
	if err == errNeeded {
		return // what is needed has said so
	}
	u.leave(r.path, reason(err))
	describes := r.kind == written || r.kind == mode || r.kind == attr
	if describes && (errors.As(err, new(unkept)) || errors.Is(err, errOccupied)) || errors.Is(err, errOther) || errors.Is(err, errFilled) {
		delete(u.stuck, r.path)
	}
}

func reason(err error) string {
	if errno := unix.Errno(0); errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// maxLeft bounds how many paths a Result names.
const maxLeft = 1000

var (
	errChanged  = errors.New("it was changed since")
	errOccupied = errors.New("something else is there now")
	errLast     = errors.New("it is the last name of a file that was there before")
	errRemoved  = errors.New("it was removed since")
	errUndone   = errors.New("it is there as it was before a command that was undone")
	errOther    = errors.New("another directory is there now: it is left as it is")
	errKeeps    = errors.New("what is there now, somebody else's, can't be kept")
	errFilled   = errors.New("something in it was changed since")
)

// unkept is why something was not kept.
type unkept string

func (w unkept) Error() string { return "it was not kept: " + string(w) }
