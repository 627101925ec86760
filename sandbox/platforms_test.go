package sandbox

import (
	"os"
	"strings"
	"testing"
)

// What the page says is run or compiled, CI does.
func TestThePlatformsAreBuiltAndRun(t *testing.T) {
	for file, texts := range map[string][]string{
		"../Makefile": {"PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64\n", "check: format lint race cross\n"},
		"../.ci/run":  {"\nmake format race\n", " make lint cross ", "\nmake qemu\n", "\nmake wine\n"},
	} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if !strings.Contains(string(b), text) {
				t.Errorf("%s lacks %q", file, text)
			}
		}
	}
}
