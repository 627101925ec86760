package config

import "cmp"

// Change is the Config of a session whose editor sends settings while it runs: c
// is the user's, said what initialize asked for, now the settings. They replace
// earlier settings, not what initialize said, and may only tighten that. An editor
// can't tell whose they are: VS Code merges the settings.json of a repository
// into them. Only a client that said policy.loosen to initialize vouches for all
// of them. When anything is wrong nothing is changed, and each *executor.ParamError
// of the list points into the settings.
func (c Config) Change(said, now InitOptions) (Config, []error) {
	base, err := c.With(said)
	if err != nil {
		return Config{}, []error{err}
	}
	if err := now.check(); err != nil {
		return Config{}, []error{err}
	}
	profile := cmp.Or(now.Profile, now.Policy.Profile)
	if profile != "" && profile != base.Guard.ID {
		if !base.Loosen {
			return Config{}, []error{bad("/profile", quoted(base.Guard.ID)+", since no profile is a stricter form of another", quoted(profile))}
		}
		said.Profile, said.Policy.Profile = profile, ""
		if base, err = c.With(said); err != nil {
			return Config{}, []error{err}
		}
	}
	next := base
	if err := next.overlay(now); err != nil {
		return Config{}, []error{err}
	}
	if base.Loosen {
		return next, nil
	}
	return next, next.looser(base)
}
