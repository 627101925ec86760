//go:build !unix

package executor

import "os"

// copyReady hands every read of f to write. It returns io.EOF at the end.
func copyReady(f *os.File, write func([]byte) error) error {
	buf := readBuffers.Get().(*[readSize]byte)
	defer readBuffers.Put(buf)
	for {
		n, err := f.Read(buf[:])
		if n > 0 {
			if werr := write(buf[:n]); werr != nil {
				return werr
			}
		}
		if err != nil {
			return err
		}
	}
}
