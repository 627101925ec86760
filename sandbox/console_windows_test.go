package sandbox

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func TestAConsoleEchoesAndEndsWithItsCommand(t *testing.T) {
	r := newRig(t, nil)
	keysIn, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	screen, screenOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	defer keys.Close()
	con, err := OpenConsole(keysIn, screenOut, 24, 80)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = keysIn.Close(), screenOut.Close()
	if err := con.Resize(30, 100); err != nil && !wine() { // it says that it can't
		t.Error(err)
	}
	dir, err := os.Open(r.ws)
	if err != nil {
		t.Fatal(err)
	}
	c := Command{Path: r.exe, Argv: []string{actorName, "echo"}, Env: canaryEnv(r.s.box), Dir: dir, Terminal: true, Console: con}
	p, err := r.s.Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string)
	go func() {
		b, _ := io.ReadAll(screen)
		out <- string(b)
	}()
	if _, err := keys.WriteString("hello\r\nend\r\n"); err != nil {
		t.Fatal(err)
	}
	st, err := p.Wait()
	if err != nil || st.Code != 0 {
		t.Errorf("%+v %v", st, err)
	}
	if left, err := p.End(false); err != nil || len(left) > 0 {
		t.Errorf("%+v %v", left, err)
	}
	select {
	case text := <-out:
		if !strings.Contains(text, "got hello") {
			t.Errorf("%q", text)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the console's output does not end")
	}
	if err := con.Resize(1, 1); err == nil {
		t.Error("a closed console was resized")
	}
}
