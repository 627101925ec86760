package guard

import "strings"

func doRead(s *script, _ string, a arguments) value {
	s.path(kindRead, a.at(0))
	if strings.Contains(a.at(0).string(), "://") {
		return s.download()
	}
	return value{file: true}
}

func doWrite(s *script, _ string, a arguments) value {
	s.path(kindWrite, a.at(0))
	return value{}
}

func doDelete(s *script, _ string, a arguments) value {
	for _, v := range a.list {
		if v.kind == isText || v.kind == isList {
			s.path(kindDelete, v)
		}
	}
	return value{}
}

// doDeleteTree also asks when it does not know what it deletes.
func doDeleteTree(s *script, _ string, a arguments) value {
	v := a.at(0)
	if v.kind != isText && v.kind != isList {
		v = textValue(unknown)
	}
	for _, text := range v.texts() {
		s.w.paths(s.st, effect{kind: kindDelete, recursive: true}, s.place(v, text))
	}
	return value{}
}

func doMove(s *script, _ string, a arguments) value {
	s.path(kindDelete, a.at(0))
	s.path(kindWrite, a.at(1))
	return value{}
}

func doCopy(s *script, _ string, a arguments) value {
	s.path(kindRead, a.at(0))
	s.path(kindWrite, a.at(1))
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
	s.path(kindRead, a.at(0))
	if a.at(0).kind == isText {
		s.w.moveTo(s.st, a.at(0).text)
	}
	return value{}
}

// doGlob is a pattern, which stands for the names it finds.
func doGlob(s *script, _ string, a arguments) value {
	s.path(kindRead, a.at(0))
	return a.at(0)
}
