package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// harmlessEdit lets git change settings of an old repository that name no
// program: a branch's upstream, a remote. What stays as it was may be anything,
// it is the user's; the lines around the change are read strictly, from a section
// header to the next, so that none of them comes to mean something else.
func harmlessEdit(before, after string) error {
	if len(before) > maxConfig || len(after) > maxConfig {
		return errOddConfig
	}
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	front := 0
	for front < min(len(a), len(b)) && a[front] == b[front] {
		front++
	}
	back := 0
	for back < min(len(a), len(b))-front && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	if front == len(a) && front == len(b) {
		return nil
	}
	for front > 0 && (!atHeader(a, front) || !atHeader(b, front)) {
		front--
	}
	for back > 0 && !isHeader(a[len(a)-back]) {
		back--
	}
	if front > 0 && strings.HasSuffix(strings.TrimRight(a[front-1], "\n"), `\`) {
		return errors.New("the line before the change goes on")
	}
	was, err := parseConfig(strings.Join(a[front:len(a)-back], ""))
	if err != nil {
		return err
	}
	is, err := parseConfig(strings.Join(b[front:len(b)-back], ""))
	if err != nil {
		return err
	}
	for _, s := range configDifference(was, is) {
		if !isHarmless(s) {
			return fmt.Errorf("%s is not a harmless setting", s)
		}
	}
	return nil
}

func atHeader(lines []string, i int) bool { return i == len(lines) || isHeader(lines[i]) }

func isHeader(line string) bool { return headerLine().MatchString(strings.Trim(line, " \t\n")) }
