package wintoken

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Privileges are those of a token, enabled or not.
func Privileges(t windows.Token) ([]windows.LUIDAndAttributes, error) {
	var n uint32
	err := windows.GetTokenInformation(t, windows.TokenPrivileges, nil, 0, &n)
	if err != windows.ERROR_INSUFFICIENT_BUFFER {
		return nil, os.NewSyscallError("GetTokenInformation(privileges)", err)
	}
	buf := make([]uint64, (n+7)/8) // aligned as the numbers in it need
	if err := windows.GetTokenInformation(t, windows.TokenPrivileges, (*byte)(unsafe.Pointer(&buf[0])), n, &n); err != nil {
		return nil, os.NewSyscallError("GetTokenInformation(privileges)", err)
	}
	return append([]windows.LUIDAndAttributes(nil), (*windows.Tokenprivileges)(unsafe.Pointer(&buf[0])).AllPrivileges()...), nil
}
