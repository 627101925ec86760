package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
	"github.com/pillion-sidecar/pillion/test/users"
)

// behind is a run of the tests by a user, through a launcher, with a home that may be changed.
func behind(uid int, l launcher) users.Again {
	return users.Again{
		Name: "uid=" + strconv.Itoa(uid) + ", " + l.name, UID: uid, Args: []string{"launch", l.name},
		Env: func(dir string) []string {
			return []string{
				"HOME=" + filepath.Join(dir, "home"), "PILLION_TEST_RUNG=" + l.expected(), "PILLION_TEST_LAUNCHER=" + l.name,
				fmt.Sprintf("PILLION_TEST_USER=%d of %d", slices.Index(users.All(), uid), len(users.All())),
				"PILLION_TEST_FOREIGN=" + filepath.Join(dir, "foreign"), "PILLION_TEST_SETID=" + filepath.Join(dir, "setid.test"),
				"PILLION_SECRET_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "NODE_OPTIONS=", "BASH_ENV=/dev/null",
			}
		},
		Prepare: func(dir string) error { return foreigners(uid, dir) },
	}
}

// foreigners makes a home, a program that runs as another user, and a directory of that one.
func foreigners(uid int, dir string) error {
	home, setID, foreign := filepath.Join(dir, "home"), filepath.Join(dir, "setid.test"), filepath.Join(dir, "foreign")
	err := errors.Join(os.Mkdir(home, 0o755), os.Chown(home, uid, uid), users.CopyOfUs(setID), os.Mkdir(foreign, 0o755))
	if os.Getuid() == 0 {
		other := 65534 - uid
		err = errors.Join(err, os.Chown(setID, other, other), os.Chown(foreign, other, other))
	}
	return errors.Join(err, os.Chmod(setID, 0o6755))
}

// onEveryRung runs a test once for each user and each rung that some launcher
// makes; where this version refuses to run commands, there is none to test. A quick look
// at everything has the machine's own rung.
func onEveryRung(t *testing.T, f func(t *testing.T, rung string)) {
	t.Helper()
	if rung := os.Getenv("PILLION_TEST_RUNG"); rung != "" {
		f(t, rung)
		return
	}
	for _, uid := range users.All() {
		done := map[string]bool{RungNone: true}
		for _, l := range launchers {
			if rung := l.expected(); !done[rung] && (needs.Everything() || len(done) == 1) {
				done[rung] = true
				users.Later(t, behind(uid, l))
			}
		}
	}
}

// share is the place of a test behind onEveryRung among the users and the rungs: what
// takes long and is the same everywhere is divided among them.
func share() (user, all, rung int) {
	if _, err := fmt.Sscanf(os.Getenv("PILLION_TEST_USER"), "%d of %d", &user, &all); err != nil {
		panic(err)
	}
	return user, all, slices.Index(built, os.Getenv("PILLION_TEST_RUNG"))
}

// onHost runs a test for each user through the first launcher only.
func onHost(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if os.Getenv("PILLION_TEST_RUNG") != "" {
		f(t)
		return
	}
	for _, uid := range users.All() {
		users.Later(t, behind(uid, launchers[0]))
	}
}
