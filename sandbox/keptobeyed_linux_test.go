package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/journal"
)

// armed is what the user's git would run in a repository, written while src is none.
const armed = `mkdir -p src/hooks; printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../src\n\tfsmonitor = touch %s/ran; false\n' "$PWD" >src/config
	printf '#!/bin/sh\ntouch %s/ran\n' "$PWD" >src/hooks/post-index-change; chmod +x src/hooks/post-index-change; `

// What a command wrote where no git obeyed it does not come back to where one does, and
// no directory becomes a git directory by what comes back to it.
func TestUndoArmsNoRepository(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		const pillars = "mkdir -p src/objects src/refs; "
		for what, step := range map[string]struct{ before, undone, after string }{
			"settings":  {armed + pillars, "rm -r src/hooks src/config", "echo ref: refs/heads/main >src/HEAD"},
			"text":      {armed + pillars, "rm -r src/hooks; echo >src/config", "echo ref: refs/heads/main >src/HEAD"},
			"moved":     {armed + pillars, "mv src/config x; mv src/hooks y", "echo ref: refs/heads/main >src/HEAD"},
			"changed":   {armed + pillars + "touch x; mkdir y; ", "exchange src/config x; exchange src/hooks y", "rm -r src/config src/hooks; echo ref: refs/heads/main >src/HEAD"},
			"HEAD":      {"mkdir src; echo ref: refs/heads/main >src/HEAD", "rm src/HEAD", armed + pillars},
			"refs":      {"mkdir -p src/refs", "rmdir src/refs", armed + "mkdir src/objects; echo ref: refs/heads/main >src/HEAD"},
			"objects":   {"mkdir -p src/objects", "mv src/objects x", armed + "mkdir src/refs; echo ref: refs/heads/main >src/HEAD"},
			"commondir": {armed + "mkdir -p evil/objects evil/refs; mv src/config src/hooks evil/; echo ../evil >src/commondir", "rm src/commondir", "echo ref: refs/heads/main >src/HEAD"},
			"borrowed":  {"mkdir -p src/objects/info", "mv src/objects x", "mkdir -p x/info src/refs; echo /x >x/info/alternates; echo ref: refs/heads/main >src/HEAD"},
			"link":      {"mkdir -p src; ln -s refs/heads/main src/HEAD", "rm src/HEAD", "mkdir src/objects src/refs"},
		} {
			b := newBench(t)
			s := b.journaled()
			exe, err := os.Executable()
			must(t, err)
			b.kept(s, step.before)
			name := b.kept(s, "exchange() { "+exe+" exchange \"$@\"; }; "+step.undone)
			b.kept(s, step.after)
			for _, force := range []bool{false, true} {
				r, err := b.foreseen(s, name, journal.Options{Force: force, Name: journal.NewName(time.Now(), "undo")})
				if err != nil || len(r.Left) == 0 {
					t.Errorf("%s: %v %+v", what, err, r)
				}
				_ = exec.Command("git", "-C", filepath.Join(b.ws, "src"), "-c", "safe.directory=*", "status").Run() // says what it likes
				if _, err := os.Stat(filepath.Join(b.ws, "ran")); err == nil {
					t.Fatalf("%s: the user's git ran what the command wrote; %+v", what, r)
				}
			}
		}
	})
}

// A repository that an undo took away comes back by an undo of that.
func TestARepositoryComesBackByRedo(t *testing.T) {
	everyUser(t, func(t *testing.T) {
		b := newBench(t)
		s := b.journaled()
		name := b.kept(s, "git init -q new && cd new && git config user.name a && git config user.email a@b && echo x >f && git add f && git commit -qm x")
		made := state(t, b.ws)
		for range 2 {
			var r journal.Result
			undone := journal.NewName(time.Now(), "undo")
			r, err := b.foreseen(s, name, journal.Options{Name: undone})
			if err != nil || len(r.Left) > 0 {
				t.Fatalf("%v %+v", err, r)
			}
			name = undone
		}
		if now := state(t, b.ws); now != made {
			t.Error(difference(made, now))
		}
		out, err := exec.Command("git", "-C", filepath.Join(b.ws, "new"), "-c", "safe.directory=*", "fsck", "--strict").CombinedOutput()
		if err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
}
