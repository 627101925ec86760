package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

func doRead(s *script, _ string, a arguments) value {
	s.path(effect.Read, a.at(0))
	if strings.Contains(a.at(0).string(), "://") {
		return s.download()
	}
	return value{file: true}
}

func doWrite(s *script, _ string, a arguments) value {
	s.path(effect.Write, a.at(0))
	if a.at(0).known() {
		s.fill(a.at(0).text, a.at(1), false)
	}
	return value{}
}

// doFill is file.write(text).
func doFill(s *script, _ string, a arguments) value {
	s.fill(a.at(0).into, a.at(1), true)
	return opaque(a.list...)
}

func doDelete(s *script, _ string, a arguments) value {
	for _, v := range a.list {
		if v.kind == isText || v.kind == isList {
			s.path(effect.Delete, v)
		}
	}
	return value{}
}

// doDeleteTree also asks when it does not know what it deletes.
func doDeleteTree(s *script, _ string, a arguments) value {
	v := a.at(0)
	if v.kind != isText && v.kind != isList {
		v = textValue(effect.Unknown)
	}
	for _, text := range v.texts() {
		s.w.Paths(s.st, effect.Effect{Kind: effect.Delete, Recursive: true}, s.place(v, text))
	}
	return value{}
}

func doMove(s *script, _ string, a arguments) value {
	s.path(effect.Delete, a.at(0))
	s.path(effect.Write, a.at(1))
	return value{}
}

func doCopy(s *script, _ string, a arguments) value {
	s.path(effect.Read, a.at(0))
	s.path(effect.Write, a.at(1))
	return value{file: true}
}

func doOpen(s *script, _ string, a arguments) value {
	mode := a.at(1)
	if m, ok := a.named["mode"]; ok {
		mode = m
	}
	if file, ok := a.named["file"]; ok {
		return s.opened(file, mode)
	}
	return s.opened(a.at(0), mode)
}

func doChdir(s *script, _ string, a arguments) value {
	s.path(effect.Read, a.at(0))
	if a.at(0).kind == isText {
		s.w.MoveTo(s.st, a.at(0).text)
	}
	return value{}
}

// doGlob is a pattern, which stands for the names it finds.
func doGlob(s *script, _ string, a arguments) value {
	s.path(effect.Read, a.at(0))
	return a.at(0)
}
