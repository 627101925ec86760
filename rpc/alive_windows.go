package rpc

import (
	"errors"

	"golang.org/x/sys/windows"
)

func processAlive(pid int) error {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	if event, err := windows.WaitForSingleObject(h, 0); err != nil || event == windows.WAIT_OBJECT_0 {
		return errors.Join(errors.New("the process has ended"), err)
	}
	return nil
}
