package project

import (
	"net"
	"testing"
)

func TestSum(t *testing.T) {
	if got := Sum(1, 2); got != 3 {
		t.Error(got)
	}
}

func TestListen(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
