package proc

import "fmt"

// release is how a version of Windows is written.
func release(major, minor, build uint32) string { return fmt.Sprintf("%d.%d.%d", major, minor, build) }
