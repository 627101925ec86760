// Command quick builds, vets and tests what changed since the last commit (or in it,
// if nothing did), and every package that imports it. `make quick` runs it. It ends
// within half a minute on two cores, so it leaves out tests: those that -short leaves
// out, and of the others the slowest ones, by the times of times.txt. Tests in the
// files of what changed always run.
//
//	go run ./test/quick                    test what changed
//	go run ./test/quick -list              only say what would run
//	go run ./test/quick -measure [rpc]...  write times.txt (takes minutes; the machine must be idle)
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Seconds of tests that run of a package that changed and of one that imports it.
const (
	ofChanged   = 6.0
	ofImporters = 0.8
)

// always runs beyond what its package has room for: it goes through every package.
const always = "TestScenarios"

func main() {
	measuring := flag.Bool("measure", false, "write how long each test takes to "+timesFile)
	listing := flag.Bool("list", false, "say what would run, and run nothing")
	flag.Parse()
	run := quick
	if *measuring {
		run = func(bool) error { return measure(flag.Args()) }
	}
	if err := run(*listing); err != nil {
		fmt.Fprintln(os.Stderr, "quick:", err)
		os.Exit(1)
	}
}

func quick(listing bool) error {
	start := time.Now()
	files, err := changedFiles()
	if err != nil {
		return err
	}
	p, err := planned(files)
	if err != nil {
		return err
	}
	for _, line := range slices.Concat(p.says, notHere(files)) {
		fmt.Println(line)
	}
	if listing {
		return nil
	}
	failed := luaSyntax(files)
	for _, args := range p.calls {
		if err := show("go", args...); err != nil {
			failed = err
		}
	}
	fmt.Printf("quick: %.0f s\n", time.Since(start).Seconds())
	return failed
}

// plan is what to run of go, and what to say about it before.
type plan struct {
	says  []string
	calls [][]string
}

func planned(files []string) (plan, error) {
	all, err := packages()
	if err != nil {
		return plan{}, err
	}
	times, err := readTimes()
	if err != nil {
		return plan{}, err
	}
	c := changes(files, all)
	test, vet, skip := []string{}, []string{}, []string{}
	var p plan
	for _, pkg := range all {
		budget := ofImporters
		switch {
		case c.touched[pkg.path]:
			budget = ofChanged
		case !c.importers[pkg.path]:
			continue
		case c.distant(pkg):
			vet = append(vet, "./"+pkg.path)
			continue
		}
		left := leftOut(times[pkg.path], budget, func(test string) bool { return test == always || c.tests[test] })
		p.says = append(p.says, describe(pkg.path, times[pkg.path], left))
		test, skip = append(test, "./"+pkg.path), append(skip, left...)
	}
	if len(test) > 0 {
		slices.Sort(skip)
		// Tests wait more than they compute: of two packages for each core one is busy.
		side := fmt.Sprint("-p=", 2*runtime.NumCPU())
		skipped := "^(" + strings.Join(slices.Compact(skip), "|") + ")$"
		p.calls = append(p.calls, append([]string{"test", side, "-short", "-vet=all", "-ldflags=-s -w", "-skip", skipped}, test...))
	}
	if len(vet) > 0 {
		p.says = append(p.says, "only vetted: "+strings.Join(vet, " "))
		p.calls = append(p.calls, append([]string{"vet"}, vet...))
	}
	p.calls = append(p.calls, fixtureTests(files)...)
	return p, nil
}

// show runs a program with its output on ours.
func show(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return nil
}

func describe(path string, times map[string]float64, left []string) string {
	if path == "" {
		path = "."
	}
	if len(left) == 0 {
		return path
	}
	sum := 0.0
	for _, test := range left {
		sum += times[test]
	}
	return fmt.Sprintf("%s without %d tests of %.0f s: go test ./%s", path, len(left), sum, path)
}
