package profile

import (
	"strings"
)

// sedScripts are the scripts among sed's arguments.
func sedScripts(words []string) []string {
	var out []string
	for i, word := range words {
		switch {
		case word == "-e" || word == "--expression":
			if i+1 < len(words) {
				out = append(out, words[i+1])
			}
		case strings.HasPrefix(word, "--expression="):
			out = append(out, strings.TrimPrefix(word, "--expression="))
		case strings.HasPrefix(word, "-e"):
			out = append(out, word[2:])
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, word := range words {
		if !strings.HasPrefix(word, "-") {
			return []string{word}
		}
	}
	return nil
}

// sedActs reports the commands of sed that write, read or run something: w, W,
// r, R, e, and the flags w and e of s. A script is one command here, for the
// profile refuses semicolons and line breaks; blocks hold more.
func sedActs(script string) bool {
	rest := script
	for rest != "" {
		rest = sedAddress(rest)
		if rest == "" {
			return false
		}
		c := rest[0]
		rest = rest[1:]
		switch c {
		case 'w', 'W', 'r', 'R', 'e':
			return true
		case '{', '}':
		case 's', 'y':
			if rest == "" {
				return false
			}
			d := rest[0]
			flags := past(past(rest[1:], d), d)
			return strings.ContainsAny(strings.SplitN(flags, "}", 2)[0], "we") && c == 's'
		default:
			return false
		}
	}
	return false
}

// sedAddress takes the addresses and blanks before a command off.
func sedAddress(s string) string {
	for s != "" {
		switch c := s[0]; {
		case c == '/':
			s = strings.TrimLeft(past(s[1:], '/'), "IM")
		case c == '\\' && len(s) > 1:
			s = strings.TrimLeft(past(s[2:], s[1]), "IM")
		case strings.IndexByte("0123456789$,!~+ \t", c) >= 0:
			s = s[1:]
		default:
			return s
		}
	}
	return s
}

// past is what follows the next unescaped delimiter.
func past(s string, delimiter byte) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case delimiter:
			return s[i+1:]
		}
	}
	return ""
}
