// Package assess turns what a self-test saw on a machine into what a policy gets there,
// and what stays possible. It is pure: every machine's answer is tested on any machine.
package assess
