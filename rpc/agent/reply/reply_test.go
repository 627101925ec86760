package reply_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/rpc/agent/reply"
)

func how(from, to int64) string { return fmt.Sprintf("pillion output o1 --from %d --to %d", from, to) }

// tokens counts as tokenizers roughly do: a run of letters by six, a run of digits by
// three, each other visible character, and each run of blanks with what follows it.
func tokens(text string) (n int) {
	for _, part := range regexp.MustCompile(`[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]|\n+`).FindAllString(text, -1) {
		switch c := part[0]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			n += (len(part) + 5) / 6
		case '0' <= c && c <= '9':
			n += (len(part) + 2) / 3
		default:
			n++
		}
	}
	return n
}

// failures are what a person marked in each log of testdata: without these lines nobody
// can tell what went wrong.
var failures = map[string][]string{
	"npm-ci":  {"added 300 packages"},
	"cargo":   {"error[E0425]: cannot find value `y` in this scope", "error[E0308]: mismatched types", "expected `i32`, found `&str`", "could not compile `p`"},
	"go-test": {"--- FAIL: TestTable ", "--- FAIL: TestTable/case_77 ", "--- FAIL: TestTable/case_140 ", "got 5929, want 78", "got 19600, want 141", "FAIL\tp"},
	"pytest":  {"test_square[149] FAILED", "test_missing FAILED", "assert (110 * 110) < 12000", "FileNotFoundError: [Errno 2] No such file or directory: '/nonexistent/file'", "FAILED tests/test_a.py::test_missing", "41 failed, 170 passed"},
	"gradle":  {"BUILD FAILED", "What went wrong:"},
	"apt":     {"librust-regex-dev"},
	"webpack": {"Module not found: Error: Can't resolve './missing.js'", "Module not found: Error: Can't resolve 'nope'", "compiled with 2 errors"},
	"ctest":   {"bad_one", "***Failed", "99% tests passed, 1 tests failed out of 121", "Errors while running CTest"},
	"docker":  {"[test 3/3] RUN PYTHONPATH=. python3 -m pytest -v", "tests/test_shop.py::test_unknown_code FAILED", "Failed: DID NOT RAISE <class 'ValueError'>", "tests/test_shop.py:16: Failed", "#14 ERROR: executor failed running", "]: exit code: 1", "1 failed, 41 passed", "warning: unused variable 'unused'"},
	"mvn":     {"BUILD FAILURE", "[ERROR] Plugin org.apache.maven.plugins:maven-resources-plugin:2.6 or one of its dependencies could not be resolved"},
}

func TestRealLogs(t *testing.T) {
	all, left := 0, 0
	for name, marks := range failures {
		b, err := os.ReadFile(filepath.Join("testdata", name+".log"))
		if err != nil {
			t.Fatal(err)
		}
		text := reply.Text(string(b), reply.Standard, how)
		raw, short := tokens(string(b)), tokens(text)
		all, left = all+raw, left+short
		t.Logf("%-8s %6d tokens, %5d left, %3d %%", name, raw, short, 100*short/raw)
		for _, m := range marks {
			if !strings.Contains(text, m) {
				t.Errorf("%s: %q is gone:\n%s", name, m, text)
			}
		}
	}
	if 100*left > 35*all {
		t.Errorf("%d of %d tokens are left, more than 35 %%", left, all)
	}
}

// What is left out is named by its bytes, and they are exactly what is missing.
func TestWhatIsMissingIsNamed(t *testing.T) {
	var in strings.Builder
	for i := range 4_000 {
		switch i {
		case 2_000:
			in.WriteString("fatal: the one that matters\n")
		default:
			fmt.Fprintf(&in, "line %d of something\n", i)
		}
	}
	out := reply.Text(in.String(), reply.Of(4_000), how)
	if !strings.Contains(out, "fatal: the one that matters") || len(out) > 5_000 {
		t.Fatalf("%d characters:\n%s", len(out), out)
	}
	if n := strings.Count(out, "pillion output o1 --from"); n != 1 {
		t.Errorf("it is said %d times how to read the rest", n)
	}
	gaps := regexp.MustCompile(`\[pillion: (\d+) lines left out, bytes (\d+)-(\d+)`).FindAllStringSubmatch(out, -1)
	if len(gaps) != 2 {
		t.Fatalf("gaps: %q", gaps)
	}
	shown := strings.Count(out, "\n") - len(gaps)
	for _, g := range gaps {
		var lines, from, to int
		fmt.Sscan(g[1], &lines)
		fmt.Sscan(g[2], &from)
		fmt.Sscan(g[3], &to)
		part := in.String()[from:to]
		if strings.Count(part, "\n") != lines || !strings.HasPrefix(part, "line ") || strings.Contains(part, "fatal") {
			t.Errorf("bytes %d-%d are %d lines, not %d: %.40q", from, to, strings.Count(part, "\n"), lines, part)
		}
		shown += lines
	}
	if shown != 4_000 {
		t.Errorf("%d of 4000 lines are shown or named", shown)
	}
}

func TestAScreenIsRendered(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"\x1b[31mred\x1b[0m\n", "red\n"},
		{"10%\r50%\r100%\ndone", "100%\ndone\n"},
		{"a\r\nb\r\n", "a\nb\n"},
		{"abc\b\bX\n", "aXc\n"},
		{"\x1b[2K\x1b[1Gspin\x1b[2K\x1b[1Gend\n", "end\n"},
		{"\x1b]0;title\x07text\n", "text\n"},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "link\n"},
		{"a\u202eb\n", "a\\u202eb\n"},
		{"a\x00\x07b\xff\n", "ab\ufffd\n"},
		{"[pillion: 3 lines left out]\n", "| [pillion: 3 lines left out]\n"},
		{"pillion: it is fine\n", "| pillion: it is fine\n"},
		{"same\nsame\nsame\nsame\nend\n", "same\n[pillion: the same line 3 times more]\nend\n"},
		{"same\nsame\nend\n", "same\nsame\nend\n"},
		{"a\n\n\n\nb\n", "a\n\nb\n"},
		{"import a\nimport b\nimport c\nimport d\n", "import a\nimport b\nimport c\nimport d\n"},
		{"", ""},
	} {
		if got := reply.Text(c.in, reply.Standard, how); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.in, got, c.want)
		}
	}
	long := reply.Text(strings.Repeat("x", 100_000)+"end\n", reply.Standard, how)
	if len(long) > 3_000 || !strings.HasSuffix(long, "end\n") || !strings.Contains(long, "characters…]") {
		t.Errorf("a long line is shown as %d characters: %.100q", len(long), long)
	}
}

// However an output is cut into writes, the text is the same; nothing in it is a
// control character, and it stays within its budget.
func FuzzWriter(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\r\nc\xe2\x82\xac\n"), 3)
	f.Add([]byte("\x1b]0;x\x1b\\y\x1bPq"), 1)
	f.Fuzz(func(t *testing.T, in []byte, step int) {
		budget := reply.Of(700)
		whole := reply.Text(string(in), budget, how)
		var parts strings.Builder
		w := reply.NewWriter(&parts, budget, how)
		for step = max(1, step%7); len(in) > 0; in = in[min(step, len(in)):] {
			_, _ = w.Write(in[:min(step, len(in))])
		}
		_ = w.Close()
		if parts.String() != whole {
			t.Fatalf("in parts %q, whole %q", parts.String(), whole)
		}
		if i := strings.IndexFunc(whole, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == 0x202e }); i >= 0 {
			t.Fatalf("%q has a control character", whole)
		}
	})
}
