package guard

import "strings"

// textMethods are methods of strings and lists that most languages share.
var textMethods map[string]call

func fillTextMethods() {
	textMethods = calls(
		".format", func(_ *script, _ string, a arguments) value { return format(a.at(0), a.list[1:], "{}") },
		".join", doJoin,
		".map .forEach .each .then", func(s *script, n string, a arguments) value {
			if len(a.list) < 2 {
				return opaque(a.list...)
			}
			return doMap(s, n, arguments{list: []value{a.list[1], a.list[0]}})
		},
		".encode .strip .rstrip .lstrip .trim .chomp .toString .to_s .read .readlines .text .json .raise_for_status .decode .read_text .b .dup .freeze .copy .slice .toLowerCase .lower .values .content .getvalue .buffer", doSame,
		".split", doSplit,
		".concat", func(_ *script, _ string, a arguments) value { return join(a.at(0), a.at(1)) },
		".reverse .tr .translate .unpack .unpack1 .pack .swapcase .charCodeAt .hex", doDecode,
		".replace .gsub .sub .replaceAll", doReplace,
	)
}

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
	if sep.kind == isUnknown && !strings.Contains(between, unknown) {
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
	if !v.known() || len(v.text) > maxValue {
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
