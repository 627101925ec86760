package jsonrpc

import "os"

// PrivateStdio takes stdin and stdout away from the rest of the process: it
// returns private copies for Serve, points descriptor 1 at stderr and 0 at the
// null device. A stray print of any library, or a child that inherits the
// standard descriptors, could otherwise write into the frames or read requests.
// Call it once, before anything else runs.
func PrivateStdio() (in, out *os.File, err error) { return privateStdio() }
