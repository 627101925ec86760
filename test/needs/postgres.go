package needs

import (
	"path/filepath"
	"testing"
)

// Postgres is the directory with initdb and postgres, which Debian has not on the PATH.
func Postgres(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		Missing(t, "postgres", "apt-get install postgresql")
	}
	return filepath.Dir(found[len(found)-1])
}
