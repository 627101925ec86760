package terminal

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTheScreenLetsTextColoursAndMovementThrough(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"text":                                       {"héllo\tworld 日本\r\n", "héllo\tworld 日本\r\n"},
		"colours":                                    {"\x1b[1;38;5;9mred\x1b[0m", "\x1b[1;38;5;9mred\x1b[0m"},
		"cursor movement":                            {"\x1b[2K\x1b[1A\x1b[10;3H\x1b[J", "\x1b[2K\x1b[1A\x1b[10;3H\x1b[J"},
		"OSC 52 sets the clipboard":                  {"a\x1b]52;c;cm0gLXJmIH4=\ab", "ab"},
		"OSC ended by ST":                            {"a\x1b]0;title\x1b\\b", "ab"},
		"OSC in one rune":                            {"a\u009d52;c;eA==\u009cb", "ab"},
		"DCS, APC, PM, SOS":                          {"a\x1bP1$r0m\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e", "abcde"},
		"DCS in one rune":                            {"a\u0090q\u009cb", "ab"},
		"status query answers as input":              {"a\x1b[6nb\x1b[cb\x1b[>0cb", "abbb"},
		"modes: alternate screen, mouse, paste":      {"\x1b[?1049h\x1b[?1000h\x1b[?2004l\x1b[4hx", "x"},
		"window operations":                          {"\x1b[21tx\x1b[8;1;1tx", "xx"},
		"reset and character sets":                   {"\x1bcx\x1b(0y\x1b#8z\x1b7\x1b8", "xyz"},
		"CSI in one rune":                            {"\u009b31mx\u009b6n", "\x1b[31mx"},
		"shift out":                                  {"a\x0eb\x0fc\x00d\x7fe", "abcde"},
		"an unfinished string ends with the line":    {"\x1b]0;hide\nshown", "shown"},
		"a broken CSI ends at the next control":      {"\x1b[31\x1b[32mx", "\x1b[32mx"},
		"an escape inside an escape":                 {"\x1b\x1b[31mx", "\x1b[31mx"},
		"a string ended by another escape":           {"\x1b]0;a\x1b[31mx", "\x1b[31mx"},
		"a C1 byte alone is not UTF-8":               {"a\x9b31mb", "a\uFFFD31mb"},
		"an endless CSI becomes text":                {"\x1b[" + strings.Repeat("1", 70) + "m", "111111m"},
		"links show one address and lead to another": {"\x1b]8;;https://evil.example\x1b\\https://bank.example\x1b]8;;\x1b\\", "https://bank.example"},
		"what has scrolled away stays":               {"\x1b[2J\x1b[3J\x1b[03Jx", "\x1b[2Jx"},
		"numbers that overflow":                      {"\x1b[2147483648Cx\x1b[9999Cy", "x\x1b[9999Cy"},
		"scroll region, scrolling, inserted lines":   {"\x1b[2;3rx\x1b[5Sy\x1b[5Tz\x1b[1L", "xyz"},
		"print the screen, repeat, save the cursor":  {"\x1b[5ix\x1b[99by\x1b[sz\x1b[u", "xyz"},
		"an ESC inside a string's end":               {"\x1b]0;a\x1b\x1b[6nb", "b"},
		"a charset chosen inside a string's end":     {"\x1b]0;a\x1b(0b", "b"},
		"the line discipline's own: cancel, suspend": {"\x1b[31\x18mx\x1b]0;\x1ay", "mxy"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shown(t, tc.in, len(tc.in)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Published attacks, each of which made a terminal type into the shell, write a
// file or run a program when a file was shown.
func TestTheScreenStopsPublishedAttacks(t *testing.T) {
	for name, in := range map[string]string{
		"CVE-2003-0063 xterm reports its title":          "\x1b]0;\nrm -rf ~\n\a\x1b[21t",
		"CVE-2008-2383 xterm answers DECRQSS":            "\x1bP$q\x0arm -rf ~\x0a\x1b\\",
		"CVE-2010-2713 VTE reports icon and title":       "\x1b]1;\nid\n\a\x1b[20t\x1b[21t",
		"CVE-2019-9535 iTerm2 enters tmux control mode":  "\x1bP1000p%begin 1 1 1\n",
		"CVE-2021-33477 rxvt-unicode answers ESC G Q":    "\x1bGQ",
		"CVE-2022-45063 xterm reports a font's name":     "\x1b]50;\nid\n\a\x1b]50;?\a",
		"CVE-2022-45872 iTerm2 answers DECRQSS":          "\x1bP$qm\nid\n\x1b\\",
		"ConEmu runs a program":                          "\x1b]9;7;calc.exe\a",
		"iTerm2 writes a file and changes its profile":   "\x1b]1337;File=name=eA==:eA==\a\x1b]1337;SetProfile=x\a",
		"the clipboard through tmux's passthrough":       "\x1bPtmux;\x1b\x1b]52;c;eA==\a\x1b\\",
		"GNU screen's title and message":                 "\x1bktitle\x1b\\\x1b!msg\x1b\\",
		"the Linux console's palette and bell":           "\x1b]P0000000\x1b]R\x1b[10;1]\x1b[[A",
		"media copy to the printer":                      "\x1b[5itext\x1b[4i",
		"user-defined keys (DECUDK)":                     "\x1bP0;1|17/6964\x1b\\",
		"the answerback of ENQ":                          "\x05",
		"device attributes, all three":                   "\x1b[c\x1b[>c\x1b[=c\x1bZ\u009a",
		"modes are asked for (DECRQM), keyboard, colour": "\x1b[?2004$p\x1b[?u\x1b]11;?\a",
		"kitty's keyboard, graphics and remote control":  "\x1b[>31u\x1b_Ga=q;\x1b\\\x1bP@kitty-cmd{}\x1b\\",
		"sixel and ReGIS":                                "\x1bPq#0\x1b\\\x1bPpS\x1b\\",
		"checksum of the screen (DECRQCRA)":              "\x1b[1;1;1;1;9;9*y",
		"bracketed paste is switched off":                "\x1b[?2004l",
		"8-bit introducers":                              "\x9b6n\x9d0;x\x9c\x90q\x9c",
		"8-bit introducers, as UTF-8":                    "\u009b6n\u009d0;x\u009c\u0090q\u009c\u009fx\u009c\u009ex\u009c\u0098x\u009c",
		"overlong UTF-8 of ESC and CSI":                  "\xc0\x9b]0;x\a\xe0\x82\x9b6n",
	} {
		t.Run(name, func(t *testing.T) {
			for size := 1; size <= len(in); size++ {
				if out := shown(t, in, size); dangerous(out) {
					t.Fatalf("chunks of %d: %q", size, out)
				}
			}
		})
	}
}

func TestTheScreenKeepsItsStateBetweenChunks(t *testing.T) {
	const in, want = "a\x1b]52;c;eA==\x1b\\b\x1b[31mc\x1b[6nd日\u009b6n", "ab\x1b[31mcd日"
	for size := 1; size < len(in); size++ {
		if got := shown(t, in, size); got != want {
			t.Errorf("chunks of %d: got %q", size, got)
		}
	}
}

// Two programs on one terminal, each with half of a sequence.
func TestTwoScreensMakeNoSequenceTogether(t *testing.T) {
	var out bytes.Buffer
	a, b := &screen{w: &out}, &screen{w: &out}
	for _, part := range []struct {
		s    *screen
		text string
	}{{a, "\x1b"}, {b, "]52;c;eA=="}, {a, "[6"}, {b, "n\x1b["}, {a, "n"}, {b, "21t"}} {
		_, _ = part.s.Write([]byte(part.text))
	}
	if dangerous(out.String()) {
		t.Errorf("%q", out.String())
	}
}

func TestWhatIsHeldBackHasABound(t *testing.T) {
	s := &screen{w: new(bytes.Buffer)}
	for _, begin := range []string{"\x1b]0;", "\x1bP", "\x1b[", "\xf0\x9f"} {
		_, _ = s.Write([]byte(begin))
		for range 1000 {
			_, _ = s.Write(bytes.Repeat([]byte("1"), 1000))
		}
		if len(s.seq) > maxCSI || len(s.held) >= utf8.UTFMax || cap(s.held) > 4096 {
			t.Errorf("%q: %d bytes of a sequence, %d (%d) of a character", begin, len(s.seq), len(s.held), cap(s.held))
		}
	}
}

func TestTheEndTakesColoursBack(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"none":                       {"plain", "plain"},
		"taken back already":         {"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"},
		"taken back without a digit": {"\x1b[31mred\x1b[m", "\x1b[31mred\x1b[m"},
		"left":                       {"\x1b[31mred", "\x1b[31mred\x1b[0m"},
		"concealed":                  {"\x1b[8m", "\x1b[8m\x1b[0m"},
		"a sequence begun":           {"a\x1b[31", "a"},
		"a string begun":             {"a\x1b]0;x", "a"},
		"a character begun":          {"a\xe6\x97", "a\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := &screen{w: &out}
			_, _ = s.Write([]byte(tc.in))
			if err := s.settle(); err != nil || out.String() != tc.want {
				t.Errorf("%v, got %q, want %q", err, out.String(), tc.want)
			}
			out.Reset()
			if _, err := s.Write([]byte("x")); err != nil || out.String() != "x" {
				t.Errorf("afterwards: %q", out.String())
			}
		})
	}
}

// What comes next is at the start of a line, and nothing of theirs is below it.
func TestScreensAreLeftAtTheStartOfALine(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "",
		"whole\n":             "",
		"half":                "\n",
		"50%\r":               "\n",
		"a\nb\n\x1b[2A":       "\n\x1b[J",
		"\x1b[8mx\n":          "",
		"\x1b[31merror\x1b[K": "\n",
	} {
		var out bytes.Buffer
		a, b := &screen{w: &out}, &screen{w: &out}
		_, _ = b.Write([]byte(in))
		got, err := Apart(a, b, &out)
		if err != nil || got != want || !a.waits() || !b.waits() {
			t.Errorf("%q: %v, %q, want %q", in, err, got, want)
		}
		if got, _ = Apart(a, b); got != "" {
			t.Errorf("%q: again %q", in, got)
		}
	}
}

// To a terminal of one byte a character, \xc4\x9b is Ä and CSI.
func TestATerminalThatIsNotUTF8GetsASCII(t *testing.T) {
	var out bytes.Buffer
	s := &screen{w: &out, ascii: true}
	if _, _ = s.Write([]byte("\u011b6n é\n")); out.String() != "?6n ?\n" {
		t.Errorf("%q", out.String())
	}
	for _, tc := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "C"}, true},
		{map[string]string{"LANG": "de_DE.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.utf8@euro"}, true},
		{map[string]string{"LANG": "de_DE.ISO-8859-15"}, false},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "cs_CZ.ISO8859-2"}, false},
		{map[string]string{"LANG": "cs_CZ.ISO8859-2", "LC_CTYPE": "C.UTF-8"}, true},
	} {
		if got := utf8Locale(func(name string) string { return tc.env[name] }); got != tc.want {
			t.Errorf("%v: %v", tc.env, got)
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

var permitted = regexp.MustCompile("\x1b\\[(?:[0-9;:]*[A-HKXadefm`]|[012]?J)")

// dangerous reads output again, by another way than the screen: without the
// sequences that may pass, no control character but those of text is left.
func dangerous(out string) bool {
	return strings.ContainsFunc(permitted.ReplaceAllString(out, ""), func(r rune) bool {
		return r < 0x20 && !strings.ContainsRune("\a\b\t\n\r", r) || r >= 0x7f && r < 0xa0
	}) || !utf8.ValidString(out)
}

func FuzzScreen(f *testing.F) {
	f.Add([]byte("a\x1b]52;c;eA==\ab"), []byte("\x1b[6n"))
	f.Add([]byte("日\xe6"), []byte("\x97\xa5\u009b6n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var out bytes.Buffer
		s := &screen{w: &out}
		_, _ = s.Write(a)
		_, _ = s.Write(b)
		whole := string(a) + string(b)
		if got := shown(t, whole, max(1, len(whole))); got != out.String() {
			t.Fatalf("%q: cut %q, whole %q", whole, out.String(), got)
		}
		_ = s.settle()
		if dangerous(out.String()) {
			t.Fatalf("%q became %q", whole, out.String())
		}
		if utf8.ValidString(whole) && !dangerous(whole) && !strings.ContainsRune(whole, 0x1b) && out.String() != whole {
			t.Fatalf("plain text %q became %q", whole, out.String())
		}
	})
}
