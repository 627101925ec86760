package rpc

import (
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

func TestDecodeMessage(t *testing.T) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a"}`,
		` {"jsonrpc":"2.0","id":"x","method":"a","params":{"b":[1]}} `,
		`{"jsonrpc":"2.0","method":"a","params":null}`,
		`{"jsonrpc":"2.0","method":"a","extra":1}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"twice":1,"twice":2}}`, // for the method's decoder to name
	} {
		if _, _, err := decodeMessage([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestDecodeMessageRefuses(t *testing.T) {
	id1 := jsonrpc2.NewNumberID(1)
	none := jsonrpc2.ID{}
	for _, tt := range []struct {
		body string
		code jsonrpc2.Code
		id   jsonrpc2.ID
	}{
		{``, CodeParse, none},
		{`{`, CodeParse, none},
		{`{"jsonrpc":"2.0","id":1,"method":"a"}x`, CodeParse, none},
		{"\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"a"}`, CodeParse, none},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":{"a" 1,,]}}`, CodeParse, none},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[\"\xff\"]}", CodeParse, none},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":["\ud800"]}`, CodeParse, none},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":[01]}`, CodeParse, none},
		{`[]`, CodeInvalidRequest, none},
		{`[{"jsonrpc":"2.0","id":1,"method":"a"}]`, CodeInvalidRequest, none},
		{`"a"`, CodeInvalidRequest, none},
		{`{"jsonrpc":"2.0","id":1.5,"method":"a"}`, CodeInvalidRequest, none},
		{`{"jsonrpc":"2.0","id":1e3,"method":"a"}`, CodeInvalidRequest, none},
		{`{"jsonrpc":"2.0","id":18446744073709551616,"method":"a"}`, CodeInvalidRequest, none},
		{`{"jsonrpc":"2.0","id":null,"method":"a"}`, CodeInvalidRequest, none},
		{`{"jsonrpc":"2.0","id":{},"method":"a"}`, CodeInvalidRequest, none},
		{`{"jsonrpc":"2.0","id":true,"method":"a"}`, CodeInvalidRequest, none},
		{`{"jsonrpc":"2.0","id":1,"id":1,"method":"a"}`, CodeInvalidRequest, none},
		{`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, CodeInvalidRequest, id1},
		{`{"jsonrpc":"1.0","id":1,"method":"a"}`, CodeInvalidRequest, id1},
		{`{"id":1,"method":"a"}`, CodeInvalidRequest, id1},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, CodeInvalidRequest, id1},
		{`{"jsonrpc":"2.0","id":1,"method":"a","params":7}`, CodeInvalidRequest, id1},
		{`{"jsonrpc":"2.0","id":1,"method":"a","result":7}`, CodeInvalidRequest, id1},
		{`{"jsonrpc":"2.0","id":1}`, CodeInvalidRequest, none},
		{nested(maxDepth + 1), CodeInvalidRequest, none},
		{strings.Repeat("[", 1<<20), CodeInvalidRequest, none},
	} {
		_, id, err := decodeMessage([]byte(tt.body))
		if err == nil || err.Code != tt.code || id != tt.id {
			t.Errorf("%.80s: %v id %v, want %d id %v", tt.body, err, id, tt.code, tt.id)
		}
	}
}

// nested is a request whose whole nesting is depth.
func nested(depth int) string {
	n := depth - 1
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"a","params":%s%s}`, strings.Repeat("[", n), strings.Repeat("]", n))
}

func TestDepth(t *testing.T) {
	if _, _, err := decodeMessage([]byte(nested(maxDepth))); err != nil {
		t.Errorf("depth %d: %v", maxDepth, err)
	}
	if d := depth([]byte(`{"a":"[[[\"[[","b":[{}]}`)); d != 3 {
		t.Errorf("brackets in strings count: %d", d)
	}
}

func TestRecoverID(t *testing.T) {
	for prefix, want := range map[string]jsonrpc2.ID{
		`{"jsonrpc":"2.0","id":7,"method":"exec","params":{"command":"aaaaa`:       jsonrpc2.NewNumberID(7),
		`{"jsonrpc":"2.0","id":"x\u0041","method":"exec","params":{"command":"aaa`: jsonrpc2.NewStringID("xA"),
		`{"jsonrpc":"2.0","method":"exec","params":{"id":7,"command":"aaaaa`:       {},
		`{"jsonrpc":"2.0","id":1.5,"params":{`:                                     {},
		`{"jsonrpc":"2.0","id":12`:                                                 {},
		`zzz`:                                                                      {},
		``:                                                                         {},
	} {
		if got := recoverID([]byte(prefix)); got != want {
			t.Errorf("%s: %v, want %v", prefix, got, want)
		}
	}
}
