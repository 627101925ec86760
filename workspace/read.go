package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// File is a file directly in a folder, or why it can't be read.
type File struct {
	Path string // absolute
	Data []byte
	Err  error // what it is instead of a regular file of bounded size
}

// Files reads name from every folder that has it. A command may have put
// anything there, so a link is not followed, a FIFO or device not waited for,
// and no more than limit bytes are read.
func (s *Set) Files(name string, limit int64) []File {
	var files []File
	for _, f := range s.folders {
		data, err := f.root.read(name, limit)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		files = append(files, File{Path: filepath.Join(f.path, name), Data: data, Err: err})
	}
	return files
}

func (r *root) read(name string, limit int64) ([]byte, error) {
	// Looked at before it is opened: opening a device can already do something.
	kind, err := r.lstat(name)
	if err != nil {
		return nil, err
	}
	if err := regular(kind); err != nil {
		return nil, err
	}
	file, err := r.openFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := regular(info.Mode().Type()); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than %d bytes; make it shorter", limit)
	}
	return data, err
}

func regular(kind fs.FileMode) error {
	switch {
	case kind&fs.ModeSymlink != 0:
		return errors.New("it is a symlink, which could lead anywhere; put the file itself there")
	case kind != 0:
		return errors.New("it is not a regular file; put a plain text file there")
	}
	return nil
}
