package sandbox

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// quarantine takes a file out of a young repository. Its text is kept in the private
// TMPDIR or, where that fails, beside its place under a name git doesn't know. The
// command may have filled the one and taken the other: then the text is lost.
func (b *broker) quarantine(dir int, name, where, rule string, why error) {
	kept, err := b.keep(dir, name, where)
	if err == nil {
		err = unix.Unlinkat(dir, name, 0)
	}
	if err != nil {
		kept = where + ".quarantined"
		err = unix.Renameat(dir, name, dir, name+".quarantined")
	}
	grant := why.Error() + "; kept as " + kept
	if err != nil {
		grant, err = why.Error()+"; removed, nothing could keep it", unix.Unlinkat(dir, name, 0)
	}
	if err != nil {
		grant = why.Error() + "; it could not be moved away: " + err.Error()
	}
	b.seen.add(Violation{Op: "vet", Path: where, Rule: rule, Grant: grant, Attribution: AttributionReported})
}

// keep copies a file, or the text of a link, into TMPDIR. Commands can write
// there, so nothing below is opened by a path they could have prepared.
func (b *broker) keep(dir int, name, where string) (string, error) {
	tmp, err := unix.Open(b.tmp, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = unix.Close(tmp) }()
	flat := strings.ReplaceAll(strings.Trim(where, "/"), "/", "_")
	flat = flat[max(0, len(flat)-200):]
	for i := range 1000 {
		kept := "quarantine-" + strconv.Itoa(i) + "-" + flat
		err := copyTo(dir, name, tmp, kept)
		if errors.Is(err, unix.EEXIST) {
			continue
		}
		return b.tmp + "/" + kept, err
	}
	return "", unix.EEXIST
}

func copyTo(dir int, name string, to int, kept string) error {
	if text, err := linkText(dir, name); err == nil {
		return unix.Symlinkat(text, to, kept)
	}
	from, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	in := os.NewFile(uintptr(from), name)
	defer in.Close()
	fd, err := unix.Openat(to, kept, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	out := os.NewFile(uintptr(fd), kept)
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
