// Package canary tries what a sandbox must refuse. The canary is this very program,
// started inside a real sandbox by the self-test: it really tries each forbidden thing
// against a bait that would allow it, and prints one "name errno" line for each attempt;
// 0 means that it got through. A version number proves nothing.
package canary
