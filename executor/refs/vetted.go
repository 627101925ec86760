package refs

import "path/filepath"

// Commands run at the same time. What one of them finds may be what another has just made
// up, and will be judged for at its end only. So what a command is judged against is kept
// while any runs: it is read when none does, and replaced by what a command's end has found
// to be well.

// before is what a repository held when it was last known to be well, and what keeps it so
// until the command has ended.
func (w *Watch) before(r repo) ([]state, shared, error) {
	if w.kept == "" {
		return w.sight.readAll(r), shared{}, nil
	}
	return w.vetted(r)
}

// wellNow is what a command has left, where nothing of it was taken back.
func (j *judge) wellNow() (all []state) {
	for _, f := range j.found {
		if f.Err != nil || f.Back || f.Aside != "" {
			return nil
		}
	}
	for i, s := range j.now.state {
		logs := map[string]logged{}
		for name, l := range s.logs {
			again, _ := stampOf(filepath.Join(j.now.dirs[i].path, name))
			if was, had := j.before.state[i].logs[name]; l.sure && again == l.stamp {
				logs[name] = l
			} else if had { // its text was read again for the judgement, and may have been another one
				logs[name] = was
			}
		}
		s.logs = logs
		all = append(all, s)
	}
	return all
}
