package replay

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// vars are the values a script has kept, by name, as JSON.
type vars map[string]jsontext.Value

// expand replaces the known names in JSON text. A string that is nothing but a
// name becomes the value itself, so "$pid" sends a number.
func (v vars) expand(text string) string {
	var b strings.Builder
	for text != "" {
		loc := forms().str.FindStringIndex(text)
		if loc == nil {
			loc = []int{len(text), len(text)}
		}
		b.WriteString(forms().name.ReplaceAllStringFunc(text[:loc[0]], v.bare))
		b.WriteString(v.inString(text[loc[0]:loc[1]]))
		text = text[loc[1]:]
	}
	return b.String()
}

func (v vars) bare(name string) string {
	if value, ok := v[name[1:]]; ok {
		return string(value)
	}
	return name
}

func (v vars) inString(quoted string) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(quoted, `"`), `"`)
	if forms().name.FindString(inner) == inner && inner != "" {
		if value, ok := v[inner[1:]]; ok {
			return string(value)
		}
	}
	if strings.HasPrefix(inner, "<$") { // a placeholder that keeps its value
		return quoted
	}
	return forms().name.ReplaceAllStringFunc(quoted, v.escaped)
}

// escaped is the value as it is written inside a JSON string.
func (v vars) escaped(name string) string {
	value, ok := v[name[1:]]
	if !ok {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(value), `"`), `"`)
}

// text is s, a verb's argument, with the names in it as plain text.
func (v vars) text(s string) string {
	if !strings.Contains(s, "$") { // s may be a body of many megabytes
		return s
	}
	return forms().name.ReplaceAllStringFunc(s, func(name string) string {
		value, ok := v[name[1:]]
		if !ok {
			return name
		}
		if value.Kind() != '"' {
			return string(value)
		}
		return unquote(value)
	})
}

// unquote is the text of a JSON string.
func unquote(v jsontext.Value) string {
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return string(v)
	}
	return string(text)
}

// quote is text as a JSON string.
func quote(text string) jsontext.Value {
	v, err := jsontext.AppendQuote(nil, text)
	if err != nil { // not UTF-8: the replacement character is what a client would see
		v, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return v
}
