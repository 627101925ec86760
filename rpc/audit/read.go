package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// Read calls each for every line of the log in dir, from the oldest on. A line that can't
// be read, such as one that was cut short, is left out. No log has no lines.
func Read(dir string, each func(Line)) error {
	for n := maxAuditFiles - 1; n >= 0; n-- {
		name := Name
		if n > 0 {
			name = fmt.Sprintf("audit.%d.jsonl", n)
		}
		if err := readFile(filepath.Join(dir, name), each); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func readFile(path string, each func(Line)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for in := bufio.NewReader(f); ; {
		text, err := in.ReadBytes('\n')
		var l Line
		if len(bytes.TrimSpace(text)) > 0 && json.Unmarshal(text, &l) == nil {
			each(l)
		}
		if err != nil {
			return nil // its end, or what another process has just moved on
		}
	}
}
