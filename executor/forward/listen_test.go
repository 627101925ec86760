package forward

import (
	"net"
	"testing"
)

func TestTwoWorkspacesHaveTwoHostPortsThatStay(t *testing.T) {
	ports := map[int]string{}
	for _, folder := range []string{"/srv/one", "/srv/two"} {
		first := 0
		for range 2 {
			in, err := listen(folder, 5173, 0)
			if err != nil {
				t.Fatal(err)
			}
			at := in.Addr().(*net.TCPAddr)
			_ = in.Close()
			if first == 0 {
				first = at.Port
			}
			if at.Port != first || !at.IP.Equal(net.IPv4(127, 0, 0, 1)) {
				t.Errorf("%s: %s, and then %d", folder, at, first)
			}
		}
		ports[first] = folder
	}
	if len(ports) != 2 {
		t.Errorf("%v", ports)
	}
}
