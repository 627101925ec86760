package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// actorName is in argv[0] of the program that the tests run: this test binary,
// because Wine has few programs.
const actorName = "pillion-actor"

// actor does what its arguments say.
func actor() (code int, ok bool) {
	if len(os.Args) == 0 || os.Args[0] != actorName {
		return 0, false
	}
	args := append(os.Args[1:], "", "", "")
	switch args[0] {
	case "exit":
		code, _ = strconv.Atoi(args[1])
	case "args":
		for _, a := range os.Args[2:] {
			fmt.Printf("%q\n", a)
		}
	case "env":
		for _, kv := range os.Environ() {
			fmt.Println(kv)
		}
	case "touch":
		if err := os.WriteFile(args[1], []byte("x"), 0o600); err != nil {
			fmt.Println(err)
			code = 1
		}
	case "sleep":
		d, _ := time.ParseDuration(args[1])
		time.Sleep(d)
	case "family":
		code = generations(args[1])
	case "handle":
		code = handle(args[1])
	case "echo":
		code = echo()
	case "hog":
		hold := make([][]byte, 0, 4)
		for range 4 {
			b := make([]byte, 16<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			hold = append(hold, b)
		}
		fmt.Println(len(hold))
	}
	return code, true
}

// generations starts depth generations, says their process ids, and stays.
func generations(depth string) int {
	n, _ := strconv.Atoi(depth)
	fmt.Println(os.Getpid())
	if n > 0 {
		exe, err := os.Executable()
		if err != nil {
			return 1
		}
		cmd := &exec.Cmd{Path: exe, Args: []string{actorName, "family", strconv.Itoa(n - 1)}, Stdout: os.Stdout}
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
		if err := cmd.Start(); err != nil {
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", " "))
			return 1
		}
	}
	time.Sleep(time.Minute)
	return 0
}

// handle tries to signal an event by a handle's number, which it must not have
// inherited.
func handle(number string) int {
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 2
	}
	if err := windows.SetEvent(windows.Handle(n)); err != nil {
		fmt.Println("refused", uint32(err.(syscall.Errno)))
		return 0
	}
	fmt.Println("signalled")
	return 0
}

// echo speaks with its console, by name: Wine gives a program in one no handles.
func echo() int {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return 2
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return 3
	}
	for sc := bufio.NewScanner(in); sc.Scan() && sc.Text() != "end"; {
		if _, err := out.WriteString("got " + sc.Text() + "\r\n"); err != nil {
			return 4
		}
	}
	return 0
}
