package egress

import "time"

// limits are the bounds of everything a client can make the proxy keep. Tests
// lower them.
type limits struct {
	connections int           // clients at a time
	questions   int           // asked at a time
	splices     int           // flows that hold a pipe of the kernel's
	hosts       int           // rows of Stats
	head        time.Duration // for the whole head of a request or a SOCKS handshake
	idle        time.Duration // between two requests on a connection
	resolve     time.Duration
	dial        time.Duration // for one address
	login       time.Duration // until it is known as whom
	halfClosed  time.Duration // without a byte, when one side has said its last
	declined    time.Duration // for which no is no
}

const (
	maxHead      = 16 << 10 // of a request; it is also the buffer a client has
	maxAnswer    = 1 << 20  // the head of an answer
	maxAddresses = 8        // of one name that are looked at
)

func defaultLimits() limits {
	return limits{
		connections: 2048,
		questions:   16,
		splices:     16,
		hosts:       256,
		head:        15 * time.Second,
		idle:        time.Minute,
		resolve:     10 * time.Second,
		dial:        10 * time.Second,
		login:       time.Minute,
		halfClosed:  5 * time.Minute,
		declined:    time.Minute,
	}
}
