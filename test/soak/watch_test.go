//go:build linux

package soak

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// held is what a process holds of the machine.
type held struct {
	rss         int64 // bytes
	threads     int
	descriptors int
	children    int // of the whole tree
}

func holds(pid int) held {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	fds, _ := os.ReadDir(proc + "/fd")
	status, _ := os.ReadFile(proc + "/status")
	return held{
		rss: field(status, "VmRSS:") << 10, threads: int(field(status, "Threads:")),
		descriptors: len(fds), children: len(family(pid)),
	}
}

func (h held) String() string {
	return fmt.Sprintf("%.1f MiB, %d threads, %d descriptors, %d processes", float64(h.rss)/(1<<20), h.threads, h.descriptors, h.children)
}

func field(status []byte, name string) int64 {
	_, after, _ := bytes.Cut(status, []byte("\n"+name))
	n, _ := strconv.ParseInt(strings.Fields(string(after) + " 0")[0], 10, 64)
	return n
}

// family are the living descendants of a process.
func family(pid int) (all []int) {
	parents := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if parent, err := strconv.Atoi(f[1]); err == nil && f[0] != "Z" {
			parents[child] = parent
		}
	}
	for child := range parents {
		for p := parents[child]; p > 1; p = parents[p] {
			if p == pid {
				all = append(all, child)
				break
			}
		}
	}
	return all
}

// survivors are processes that have root in their environment or directory.
func survivors(root string) (all []string) {
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range procs {
		env, _ := os.ReadFile(dir + "/environ")
		cwd, _ := os.Readlink(dir + "/cwd")
		if filepath.Base(dir) != strconv.Itoa(os.Getpid()) && (bytes.Contains(env, []byte(root)) || strings.HasPrefix(cwd, root)) {
			line, _ := os.ReadFile(dir + "/cmdline")
			all = append(all, filepath.Base(dir)+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return all
}

// files counts what is below the directories of a session, by directory. The audit
// log stays, as many files as it is allowed.
func (d dirs) files() map[string]int {
	n := map[string]int{}
	for _, name := range []string{"ws", "cache", "state", "tmp"} {
		_ = filepath.WalkDir(d.root+"/"+name, func(path string, _ fs.DirEntry, _ error) error {
			if base := filepath.Base(path); base == "audit" || base == "journal" { // which are to stay
				return filepath.SkipDir
			}
			n[name]++
			return nil
		})
	}
	return n
}

// samples are taken every second.
type samples struct{ rss []int64 }

func (s *samples) watch(pid int, stop <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			s.rss = append(s.rss, holds(pid).rss)
		}
	}
}

// mean of the samples [from, to).
func (s *samples) mean(from, to int) float64 {
	sum := 0.0
	for _, n := range s.rss[from:to] {
		sum += float64(n)
	}
	return sum / float64(to-from)
}
