package seccomp

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The numbers are those of the kernel's tables, as golang.org/x/sys has made them of its
// sources; what is newer than that has the same number everywhere. A misspelt name would
// silently not be filtered.
func TestTheNumbersAreTheKernels(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal(err)
	}
	newer := map[string]int16{
		"setxattrat": 463, "getxattrat": 464, "listxattrat": 465, "removexattrat": 466, "open_tree_attr": 467, "file_setattr": 469,
	}
	for _, arch := range []string{"amd64", "arm64"} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+arch+".go"))
		if err != nil {
			t.Fatal(err)
		}
		kernel := map[string]int16{}
		for _, m := range regexp.MustCompile(`SYS_(\w+)\s+= (\d+)`).FindAllStringSubmatch(string(text), -1) {
			n, _ := strconv.Atoi(m[2])
			kernel[strings.ToLower(m[1])] = int16(n)
		}
		for _, c := range calls {
			want, ok := kernel[c.name]
			if n, isNew := newer[c.name]; isNew && !ok {
				want, ok = n, true
			}
			if !ok {
				want = -1
			}
			if got := map[string]int16{"amd64": c.amd64, "arm64": c.arm64}[arch]; got != want {
				t.Errorf("%s is %d on %s, the table says %d", c.name, want, arch, got)
			}
		}
	}
	for _, c := range calls {
		if c.amd64 < 0 && c.arm64 < 0 {
			t.Errorf("%s has no number", c.name)
		}
	}
}

// What is above the newest call of the table was not looked at when the table was made.
func TestTheNewestCallIsTheTables(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		if got := Newest(numbers(arch)); got != 469 { // file_setattr, Linux 6.17
			t.Errorf("%d is new: what does it do that the sandbox must know of?", got)
		}
	}
}
