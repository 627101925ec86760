package journal

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// NewName names an entry by the time at which its command begins, and by its id.
func NewName(at time.Time, id string) string {
	return fmt.Sprintf("%016x-%s", at.UnixNano(), strings.ReplaceAll(id, "/", "_"))
}

func beginOf(name string) int64 {
	hex, _, _ := strings.Cut(name, "-")
	n, err := strconv.ParseInt(hex, 16, 64)
	if err != nil {
		return 0 // older than all
	}
	return n
}

// The files of an entry besides what is kept, whose names are numbers.
const (
	logName  = "log"
	metaName = "meta"
)
