package replay

import (
	"encoding/base64"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// placeholder is a string such as "<int 1..9>" that stands for many values.
type placeholder struct {
	text string
	name string // "" keeps nothing
	fits func(any) bool
}

// parsePlaceholder reads a pattern's string; ok is false for ordinary text.
func parsePlaceholder(s string) (p placeholder, ok bool) {
	inner, opened := strings.CutPrefix(s, "<")
	inner, closed := strings.CutSuffix(inner, ">")
	if !opened || !closed {
		return p, false
	}
	p.text = s
	if m := forms().keep.FindStringSubmatch(inner); m != nil {
		p.name, inner = m[1], m[2]
	}
	p.fits = class(inner)
	return p, p.fits != nil
}

func class(s string) func(any) bool {
	word, arg, _ := strings.Cut(s, " ")
	switch {
	case s == "any":
		return func(any) bool { return true }
	case s == "str":
		return func(v any) bool { _, ok := v.(string); return ok }
	case s == "bool":
		return func(v any) bool { _, ok := v.(bool); return ok }
	case s == "num":
		return func(v any) bool { _, ok := v.(float64); return ok }
	case word == "int":
		return integers(arg)
	case strings.HasPrefix(s, "re:"):
		return regex(strings.TrimPrefix(s, "re:"))
	case strings.HasPrefix(s, "bytes:"):
		return base64Of(strings.TrimPrefix(s, "bytes:"))
	}
	return nil
}

// integers is "", "3", "1..9", "1.." or "..9".
func integers(arg string) func(any) bool {
	low, high, isRange := strings.Cut(arg, "..")
	if !isRange {
		high = low
	}
	lo, errLo := bound(low, math.Inf(-1))
	hi, errHi := bound(high, math.Inf(1))
	if errLo != nil || errHi != nil {
		return nil
	}
	return func(v any) bool {
		n, ok := v.(float64)
		return ok && n == math.Trunc(n) && lo <= n && n <= hi
	}
}

func bound(s string, open float64) (float64, error) {
	if s == "" {
		return open, nil
	}
	return strconv.ParseFloat(s, 64)
}

func regex(expr string) func(any) bool {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil
	}
	return func(v any) bool { s, ok := v.(string); return ok && re.MatchString(s) }
}

// base64Of accepts any base64 text, or only that of the given bytes.
func base64Of(want string) func(any) bool {
	return func(v any) bool {
		s, ok := v.(string)
		if !ok {
			return false
		}
		got, err := base64.StdEncoding.DecodeString(s)
		if want == "base64" || err != nil {
			return err == nil
		}
		exp, err := base64.StdEncoding.DecodeString(want)
		return err == nil && string(exp) == string(got)
	}
}
