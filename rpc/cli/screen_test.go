package cli

import (
	"bytes"
	"regexp"
	"testing"
)

func TestScreen(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"text":                                    {"héllo\tworld 日本\r\n", "héllo\tworld 日本\r\n"},
		"colours":                                 {"\x1b[1;38;5;9mred\x1b[0m", "\x1b[1;38;5;9mred\x1b[0m"},
		"cursor movement":                         {"\x1b[2K\x1b[1A\x1b[10;3H\x1b[J", "\x1b[2K\x1b[1A\x1b[10;3H\x1b[J"},
		"OSC 52 sets the clipboard":               {"a\x1b]52;c;cm0gLXJmIH4=\ab", "ab"},
		"OSC ended by ST":                         {"a\x1b]0;title\x1b\\b", "ab"},
		"OSC in one rune":                         {"a\u009d52;c;eA==\u009cb", "ab"},
		"DCS, APC, PM, SOS":                       {"a\x1bP1$r0m\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e", "abcde"},
		"DCS in one rune":                         {"a\u0090q\u009cb", "ab"},
		"status query answers as input":           {"a\x1b[6nb\x1b[cb\x1b[>0cb", "abbb"},
		"modes: alternate screen, mouse, paste":   {"\x1b[?1049h\x1b[?1000h\x1b[?2004l\x1b[4hx", "x"},
		"window operations":                       {"\x1b[21tx\x1b[8;1;1tx", "xx"},
		"reset and character sets":                {"\x1bcx\x1b(0y\x1b#8z\x1b7\x1b8", "xyz"},
		"CSI in one rune":                         {"\u009b31mx\u009b6n", "\x1b[31mx"},
		"shift out":                               {"a\x0eb\x0fc\x00d\x7fe", "abcde"},
		"an unfinished string ends with the line": {"\x1b]0;hide\nshown", "shown"},
		"a broken CSI ends at the next control":   {"\x1b[31\x1b[32mx", "\x1b[32mx"},
		"an escape inside an escape":              {"\x1b\x1b[31mx", "\x1b[31mx"},
		"a string ended by another escape":        {"\x1b]0;a\x1b[31mx", "\x1b[31mx"},
		"a C1 byte alone is not UTF-8":            {"a\x9b31mb", "a\uFFFD31mb"},
		"an endless CSI becomes text":             {"\x1b[" + string(bytes.Repeat([]byte{'1'}, 70)) + "m", "111111m"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shown(t, tc.in, len(tc.in)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Chunks end anywhere but inside a rune.
func TestScreenKeepsItsStateBetweenChunks(t *testing.T) {
	const in, want = "a\x1b]52;c;eA==\x1b\\b\x1b[31mc\x1b[6nd", "ab\x1b[31mcd"
	for size := 1; size < len(in); size++ {
		if got := shown(t, in, size); got != want {
			t.Errorf("chunks of %d: got %q", size, got)
		}
	}
}

func shown(t *testing.T, in string, size int) string {
	t.Helper()
	var out bytes.Buffer
	s := &screen{w: &out}
	for len(in) > 0 {
		n := min(size, len(in))
		if got, err := s.Write([]byte(in[:n])); got != n || err != nil {
			t.Fatalf("Write: %d, %v", got, err)
		}
		in = in[n:]
	}
	return out.String()
}

var harmless = regexp.MustCompile(`\x1b\[[0-9;:]*[A-HJKfm]`)

func FuzzScreen(f *testing.F) {
	f.Add([]byte("a\x1b]52;c;eA==\ab"), []byte("\x1b[6n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var out bytes.Buffer
		s := &screen{w: &out}
		_, _ = s.Write(a)
		_, _ = s.Write(b)
		rest := harmless.ReplaceAll(out.Bytes(), nil)
		for _, r := range string(rest) {
			if r == 0x1b || r >= 0x80 && r < 0xa0 || r < 7 || r == 0x7f {
				t.Fatalf("%q lets %U through: %q", append(a, b...), r, out.Bytes())
			}
		}
	})
}
