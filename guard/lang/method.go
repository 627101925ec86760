package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

func doFormat(_ *script, _ string, a arguments) value { return format(a.at(0), a.list[1:], "{}") }

func doMapMethod(s *script, n string, a arguments) value {
	if len(a.list) < 2 {
		return opaque(a.list...)
	}
	return doMap(s, n, arguments{list: []value{a.list[1], a.list[0]}})
}

func doConcat(_ *script, _ string, a arguments) value { return join(a.at(0), a.at(1)) }

// doJoin is " ".join(list), and list.join(" ") where it is so.
func doJoin(_ *script, _ string, a arguments) value {
	sep, list := a.at(0), a.at(1)
	if sep.kind == isList {
		sep, list = list, sep
	}
	if list.kind != isList {
		return opaque(a.list...)
	}
	out, between := textValue(""), sep.string()
	if sep.kind == isUnknown && !strings.Contains(between, effect.Unknown) {
		between = ","
	}
	for i, v := range list.list {
		if i > 0 {
			out = join(out, textValue(between))
		}
		out = join(out, v)
	}
	return out
}

func doSplit(_ *script, _ string, a arguments) value {
	v, sep := a.at(0), a.at(1)
	if !v.known() || len(v.text) > effect.MaxValue {
		return opaque(a.list...)
	}
	if sep.known() && sep.text != "" && sep.text != " " {
		var list []value
		for _, p := range strings.Split(v.text, sep.text) {
			list = append(list, textValue(p))
		}
		return listValue(list)
	}
	return wordList(v.text)
}
