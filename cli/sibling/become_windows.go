package sibling

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
)

// become waits here. Keys that interrupt reach both programs, and the other one decides.
func become(path string, argv []string) (int, error) {
	signal.Ignore(os.Interrupt)
	c := exec.Command(path, argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
