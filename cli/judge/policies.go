package judge

import (
	"errors"
	"io/fs"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/workspace"
)

// Policies are the policies that exec would go by, each read once: a batch asks
// for the same few again and again.
type Policies map[policyKey]policyOrError

type policyKey struct{ profile, workspace, home string }

type policyOrError struct {
	policy guard.Policy
	plan   sandbox.Policy // what the sandbox would show
	err    error
}

// maxPolicies bounds what a batch with a workspace of its own in every line keeps.
const maxPolicies = 256

func (ps Policies) of(profile, folder, home string) (guard.Policy, sandbox.Policy, error) {
	key := policyKey{profile, folder, home}
	if got, ok := ps[key]; ok {
		return got.policy, got.plan, got.err
	}
	var got policyOrError
	files, err := WorkspaceFiles(folder)
	if got.err = err; err == nil {
		got.policy, got.plan, got.err = config.Judging(profile, files, home)
	}
	if len(ps) < maxPolicies {
		ps[key] = got
	}
	return got.policy, got.plan, got.err
}

// WorkspaceFiles is the policy file of a folder, if the folder exists and is one
// that exec would take as a workspace.
func WorkspaceFiles(folder string) ([]*config.WorkspaceFile, error) {
	set, err := workspace.Open([]string{folder}, workspace.Options{})
	var refused *workspace.RefusedRootError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &refused) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer set.Close()
	files, mistakes := rpc.ReadPolicies(set)
	if len(mistakes) > 0 {
		return nil, mistakes[0]
	}
	return files, nil
}
