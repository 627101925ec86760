package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// notHere names the tests of clients that need an editor, one line for each client.
func notHere(files []string) (lines []string) {
	for _, file := range files {
		part := strings.Split(file, "/")
		if part[0] != "editors" || len(part) < 3 {
			continue
		}
		if _, err := os.Stat(filepath.Join("editors", part[1], "test", "run")); err == nil {
			lines = append(lines, "not tested here, it needs the editor: make editors CLIENTS="+part[1])
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// luaPrograms can check the syntax of a file without running it.
var luaPrograms = []string{"luac5.1", "luac"}

// luaSyntax checks the changed files of Lua with whatever there is for it.
func luaSyntax(files []string) (failed error) {
	files = slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		_, err := os.Stat(file)
		return err != nil || !strings.HasSuffix(file, ".lua")
	})
	if len(files) == 0 {
		return nil
	}
	for _, program := range luaPrograms {
		if _, err := exec.LookPath(program); err != nil {
			continue
		}
		for _, file := range files {
			if err := show(program, "-p", file); err != nil {
				failed = err
			}
		}
		return failed
	}
	fmt.Println("not checked here: the syntax of Lua (apt-get install lua5.1)")
	return nil
}
