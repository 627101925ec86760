package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// int80 is getpid through the door of 32-bit programs, whose numbers are other
// calls to a filter that forgets to look at the architecture.
func int80() int {
	mem, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return said(err)
	}
	copy(mem, []byte{
		0x53,                         // push rbx
		0xb8, 0x14, 0x00, 0x00, 0x00, // mov eax, 20 (getpid of i386)
		0xbb, 0x00, 0x00, 0x00, 0x00, // mov ebx, 0
		0xcd, 0x80, // int 0x80
		0x89, 0x05, 0x2d, 0x00, 0x00, 0x00, // mov [rip+45], eax: byte 64 of the page
		0x5b, // pop rbx
		0xc3, // ret
	})
	code := &mem[0]
	function := &code // a func value points to a word that holds the code's address
	(*(*func())(unsafe.Pointer(&function)))()
	got := *(*int32)(unsafe.Pointer(&mem[64]))
	fmt.Println("getpid through int 0x80:", got)
	if got > 0 {
		return 0
	}
	return 1
}
