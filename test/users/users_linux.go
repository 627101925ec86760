package users

import (
	"fmt"
	"os"
	"testing"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// All are the one that started the tests and, when that is root, an ordinary
// one: what holds for one proves nothing for the other. The race detector looks for
// something else, which one user shows as well, and makes each run take three times
// as long; a quick look at everything has the user who looks.
func All() []int {
	if os.Getuid() == 0 && !UnderRace && needs.Everything() {
		return []int{0, 65534}
	}
	return []int{os.Getuid()}
}

// Each runs a test as the user it was started by and, when that is root, again as an
// ordinary user, see All and Again.
func Each(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if os.Getenv("PILLION_TEST_AS") != "" {
		f(t)
		return
	}
	t.Run(fmt.Sprintf("uid=%d", os.Geteuid()), f)
	if len(All()) > 1 {
		Later(t, Again{Name: "uid=65534", UID: 65534, Env: func(string) []string { return []string{"PILLION_TEST_AS=65534"} }})
	}
}
