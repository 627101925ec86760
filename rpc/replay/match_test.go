package replay

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct{ pattern, got, err string }{
		{``, `{"a":1}`, ""},
		{`{"a":1}`, `{"a":1,"b":2}`, ""},
		{`{"a":{"b":[]}}`, `{"a":{"b":[],"c":null}}`, ""},
		{`{"a":1}`, `{"a":"1"}`, "/a: expected 1"},
		{`{"a":1}`, `{}`, "/a: missing"},
		{`{"a":null}`, `{}`, "/a: missing"},
		{`{"a":"<absent>"}`, `{}`, ""},
		{`{"a":"<absent>"}`, `{"a":null}`, "/a: expected nothing"},
		{`[1,2]`, `[1,2,3]`, "3 elements"},
		{`[1,"..."]`, `[1,2,3]`, ""},
		{`[1,2,"..."]`, `[1]`, "1 elements"},
		{`["..."]`, `[]`, ""},
		{`"<int 0..4000>"`, `4000`, ""},
		{`"<int 0..4000>"`, `4001`, "expected <int"},
		{`"<int 1..>"`, `0`, "expected"},
		{`"<int 3>"`, `3`, ""},
		{`"<int>"`, `3.5`, "expected"},
		{`"<int>"`, `"3"`, "expected"},
		{`"<any>"`, `null`, ""},
		{`"<bool>"`, `false`, ""},
		{`"<str>"`, `null`, "expected"},
		{`"<re:^a+$>"`, `"aaa"`, ""},
		{`"<re:^a+$>"`, `"aab"`, "expected"},
		{`"<bytes:base64>"`, `"aGk="`, ""},
		{`"<bytes:base64>"`, `"aGk"`, "expected"},
		{`"<bytes:aGk=>"`, `"aGo="`, "expected"},
		{`"<html>"`, `"<html>"`, ""},
		{`{"a":"<$x:int>","b":"<$x:int>"}`, `{"a":1,"b":1}`, ""},
		{`{"a":"<$x:int>","b":"<$x:int>"}`, `{"a":1,"b":2}`, "/b: expected $x = 1"},
		{`"<$pid:int>"`, `7`, ""},
		{`"<$pid:int>"`, `8`, "expected $pid = 7"},
		{`null`, `null`, ""},
		{`{}`, `null`, "expected an object"},
	} {
		_, err := match(c.pattern, []byte(c.got), vars{"pid": []byte("7")}, false)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s against %s: %v, want %q", c.pattern, c.got, err, c.err)
		}
	}
}

func TestMatchExactRefusesMoreMembers(t *testing.T) {
	_, err := match(`{"a":{"b":1}}`, []byte(`{"a":{"b":1,"c":2}}`), nil, true)
	if err == nil || !strings.Contains(err.Error(), "/a/c: expected no such member") {
		t.Error(err)
	}
}

func TestMatchKeeps(t *testing.T) {
	kept, err := match(`{"p":"<$pid:int 1..>","s":"<$s:re:^x>"}`, []byte(`{"p":12,"s":"xy"}`), nil, false)
	if err != nil || string(kept["pid"]) != "12" || string(kept["s"]) != `"xy"` {
		t.Error(kept, err)
	}
}
