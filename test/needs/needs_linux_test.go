package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(M{M: m}.Run()) }

const line = "not tested here: curl (apt-get install curl)\n"

// lacking runs two packages whose tests have no program at all, as a person does.
func lacking(t *testing.T, out *os.File, env string, flags ...string) error {
	t.Helper()
	args := append([]string{"test", "-count=1", "-exec", "env PATH=/nonexistent"}, flags...)
	c := exec.Command("go", append(args, "./testdata/one", "./testdata/two")...)
	c.Env = append(os.Environ(), "PILLION_REQUIRE="+env)
	c.Stdout, c.Stderr = out, os.Stderr
	return c.Run()
}

// said runs them with a pipe or a file for the output, which have places of their own.
func said(t *testing.T, env string, flags ...string) (inFile string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = lacking(t, f, env, flags...)
	b, _ := os.ReadFile(path)
	return string(b), err
}

// takesSeconds is what test/long is to other packages, which imports this one.
func takesSeconds(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds; it runs without -short")
	}
}

func TestWhatIsNotTestedIsSaidOnceAndLosesNoLine(t *testing.T) {
	takesSeconds(t)
	out, err := said(t, "")
	if err != nil || strings.Count(out, line) != 1 || strings.Count(out, "ok  \t") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAPipeIsToldAsWell(t *testing.T) {
	takesSeconds(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = lacking(t, w, "")
	w.Close()
	b := make([]byte, 4096)
	n, _ := r.Read(b)
	if out := string(b[:n]); err != nil || strings.Count(out, line) != 1 || strings.Count(out, "ok  \t") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWhatIsRequiredFails(t *testing.T) {
	takesSeconds(t)
	for _, required := range []string{"all", "ps,curl"} {
		if out, err := said(t, required); err == nil || !strings.Contains(out, "PILLION_REQUIRE: curl is missing (apt-get install curl)") {
			t.Errorf("%s: %v\n%s", required, err, out)
		}
	}
	if out, err := said(t, "ps"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A line that is not JSON would end its reader.
func TestJSONStaysJSON(t *testing.T) {
	takesSeconds(t)
	out, err := said(t, "", "-json")
	for text := range strings.Lines(out) {
		if !strings.HasPrefix(text, "{") {
			t.Errorf("%s", text)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

func TestNewsAreEachSaidOnce(t *testing.T) {
	got := news([]string{"b", "a", mark + "b", "a", "", "c"})
	if strings.Join(got, " ") != "a c" {
		t.Errorf("%q", got)
	}
}

func TestEveryProgramHasItsPackage(t *testing.T) {
	if len(Programs()) < 10 {
		t.Errorf("%q", Programs())
	}
	for _, name := range Programs() {
		if Package(name) == "" {
			t.Errorf("%s has no package", name)
		}
	}
}
