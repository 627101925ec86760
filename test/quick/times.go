package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const timesFile = "test/quick/times.txt"

// measured has a line for each test that takes a twentieth of a second: package, test,
// seconds. A name that is not a test any more does no harm.
//
//go:embed times.txt
var measured string

// readTimes are the seconds of each test of each package.
func readTimes() (map[string]map[string]float64, error) {
	times := map[string]map[string]float64{}
	for line := range strings.Lines(measured) {
		part := strings.Fields(line)
		if len(part) != 3 {
			return nil, fmt.Errorf("%s: want package, test and seconds, not %q", timesFile, line)
		}
		seconds, err := strconv.ParseFloat(part[2], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", timesFile, err)
		}
		if times[part[0]] == nil {
			times[part[0]] = map[string]float64{}
		}
		times[part[0]][part[1]] = seconds
	}
	return times, nil
}

// leftOut are the tests that a package's budget has no room for. The cheapest ones
// come first, because most tests fit in then; tests that must run come before them.
func leftOut(times map[string]float64, budget float64, must func(string) bool) (left []string) {
	var tests []string
	for test, seconds := range times {
		if must(test) {
			budget -= seconds
		} else {
			tests = append(tests, test)
		}
	}
	slices.SortFunc(tests, func(a, b string) int {
		return cmp.Or(cmp.Compare(times[a], times[b]), strings.Compare(a, b))
	})
	for _, test := range tests {
		if budget -= times[test]; budget < 0 {
			left = append(left, test)
		}
	}
	return left
}

// measure writes timesFile anew from one run of these packages, or of all.
func measure(these []string) error {
	if _, err := changedFiles(); err != nil { // enters the top of the repository
		return err
	}
	all, err := packages()
	if err != nil {
		return err
	}
	kept := func(path string) bool { return len(these) > 0 && !slices.Contains(these, path) }
	var lines []string
	for line := range strings.Lines(measured) {
		if path, _, _ := strings.Cut(line, " "); kept(path) {
			lines = append(lines, line)
		}
	}
	for _, p := range all {
		if kept(p.path) {
			continue
		}
		cmd := exec.Command("go", "test", "-short", "-count=1", "-v", "./"+p.path)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
			return err
		}
		for test, seconds := range secondsOf(string(out)) {
			if seconds >= 0.05 {
				lines = append(lines, fmt.Sprintf("%s %s %.2f\n", p.path, test, seconds))
			}
		}
		fmt.Println(p.path)
	}
	slices.Sort(lines)
	return os.WriteFile(timesFile, []byte(strings.Join(lines, "")), 0o644)
}

// secondsOf are the seconds of each test in the output of go test -v. The time of
// subtests that run side by side is not in that of their test: half of it counts. What
// a test takes in another run of its package (users.Again) comes on top.
func secondsOf(out string) map[string]float64 {
	ended := regexp.MustCompile(`(?m)^ *--- (?:PASS|FAIL): (\w+)(/[^/ ]+)? \(([0-9.]+)s\)( as .+)?$`)
	own, below, again := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, m := range ended.FindAllStringSubmatch(out, -1) {
		seconds, err := strconv.ParseFloat(m[3], 64)
		switch {
		case err != nil:
		case m[4] != "":
			again[m[1]] += seconds
		case m[2] == "":
			own[m[1]] = seconds
		default:
			below[m[1]] += seconds / 2
		}
	}
	for test := range own {
		own[test] = max(own[test], below[test]) + again[test]
	}
	return own
}
