package journal

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatWasRefusedIsNotListed(t *testing.T) {
	var log []byte
	for _, r := range []record{
		{kind: times, path: "d"},
		{kind: created, path: "d/made"},
		{kind: times, path: "e"},
		{kind: removed, path: "e/to"},
		{kind: renamed, path: "d/from", to: "e/to"},
		{kind: refused, info: Info{Size: 3}},
		{kind: removed, path: "d/gone"},
	} {
		log = r.append(log)
	}
	var got []string
	if err := eachDone(strings.NewReader(string(log)), func(r record) { got = append(got, r.path) }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"d", "d/made", "d/gone"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
