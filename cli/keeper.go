package cli

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/cli/terminal"
	"github.com/pillion-sidecar/pillion/config"
)

// Bounds of what is kept of commands of agents.
const (
	maxKeptBytes = 64 << 20 // of one output
	maxKeptFiles = 64
)

// keeper saves an output whole, so that a model can read what it was not shown. It
// makes its file with the first byte, and removes it where all was shown.
type keeper struct {
	dir  string
	id   string
	file *os.File
	size int64
	dead bool
}

// keptDir is below the state directory, of which commands see nothing.
func keptDir(c config.Config) string {
	if c.StateDir == "" {
		return ""
	}
	return filepath.Join(c.StateDir, "agent-output")
}

// Write never fails: a full disk costs the saved output, not the command.
func (k *keeper) Write(p []byte) (int, error) {
	if k.dead || k.dir == "" || k.size+int64(len(p)) > maxKeptBytes {
		k.dead = true
		return len(p), nil
	}
	if k.file == nil {
		k.open()
	}
	if k.file != nil {
		n, err := k.file.Write(p)
		k.size += int64(n)
		k.dead = err != nil
	}
	return len(p), nil
}

func (k *keeper) open() {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails
	k.id = "o" + hex.EncodeToString(b[:])
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		k.dead = true
		return
	}
	f, err := os.OpenFile(filepath.Join(k.dir, k.id), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	k.file, k.dead = f, err != nil
}

// command shows a part of the output.
func (k *keeper) command(from, to int64) string {
	if k.file == nil || from >= k.size {
		return ""
	}
	return fmt.Sprintf("pillion output %s --from %d --to %d", k.id, from, to)
}

// close keeps the file where it is needed, and makes room for it.
func (k *keeper) close(needed bool) {
	if k.file == nil {
		return
	}
	_ = k.file.Close()
	if !needed {
		_ = os.Remove(k.file.Name())
		return
	}
	entries, _ := os.ReadDir(k.dir)
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(age(b), age(a)) })
	for _, old := range entries[min(len(entries), maxKeptFiles):] {
		_ = os.Remove(filepath.Join(k.dir, old.Name()))
	}
}

func age(e os.DirEntry) int64 {
	info, err := e.Info()
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

func (p *program) outputCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "output ID",
		Short: "Show saved output of a command that an agent ran",
		Long: `output shows bytes of an output that was too long for an agent's model. The
text of the model names the ID and the bytes that it was not shown. The newest
64 outputs are kept.`,
		Args: one("ID"),
	}
	from := c.Flags().Int64("from", 0, "the first byte")
	to := c.Flags().Int64("to", -1, "the byte after the last one (default the end)")
	c.RunE = func(_ *cobra.Command, args []string) error { return p.output(args[0], *from, *to) }
	return c
}

func (p *program) output(id string, from, to int64) error {
	conf, err := config.Default()
	if err != nil {
		return err
	}
	gone := fmt.Errorf("there is no output %q; only the newest %d are kept: run the command again", id, maxKeptFiles)
	if !regexp.MustCompile(`^o[0-9a-f]{8}$`).MatchString(id) {
		return gone
	}
	f, err := os.Open(filepath.Join(keptDir(conf), id))
	if err != nil {
		return gone
	}
	defer f.Close()
	if to < 0 {
		to = 1 << 62
	}
	_, err = io.Copy(terminal.Screened(p.stdout), io.NewSectionReader(f, max(from, 0), max(to-max(from, 0), 0)))
	return err
}
