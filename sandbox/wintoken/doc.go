// Package wintoken is what confines a command on Windows: with which token and job it is
// started, which marks on the user's files let it write, and how they are taken back.
// Decisions are pure and tested everywhere; the files of Windows make the calls.
package wintoken
