package guard

import (
	"slices"

	"mvdan.cc/sh/v3/expand"
)

// binding is what a variable may hold: one value, or one for each branch.
type binding []expand.Variable

func constant(text string) binding {
	if len(text) > maxValue {
		text = unknown
	}
	return binding{{Set: true, Kind: expand.String, Str: text}}
}

func indexed(list []string) binding {
	return binding{{Set: true, Kind: expand.Indexed, List: list}}
}

var unknownBinding = constant(unknown)

// alternatives is either of two lists of directories; too many are unknown.
func alternatives(a, b []string) []string {
	out := slices.Clip(a)
	for _, dir := range b {
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	if len(out) > maxAlternatives {
		return []string{unknown}
	}
	return out
}

func union(a, b binding) binding {
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.ContainsFunc(out, func(o expand.Variable) bool { return same(o, v) }) {
			out = append(out, v)
		}
	}
	if len(out) > maxAlternatives {
		return unknownBinding
	}
	return out
}

func same(a, b expand.Variable) bool {
	return a.Set == b.Set && a.Kind == b.Kind && a.Str == b.Str && slices.Equal(a.List, b.List)
}
