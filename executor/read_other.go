//go:build !unix

package executor

import "os"

// copyReady hands every read of f to write; room says how many bytes may be read at
// a time. It returns io.EOF at the end, errNoRoom where none may.
func copyReady(f *os.File, room func(int) int, write func([]byte)) error {
	buf := readBuffers.Get().(*[readSize]byte)
	defer readBuffers.Put(buf)
	for {
		most := room(len(buf))
		if most <= 0 {
			return errNoRoom
		}
		n, err := f.Read(buf[:most])
		if n > 0 {
			write(buf[:n])
		}
		if err != nil {
			return err
		}
	}
}
