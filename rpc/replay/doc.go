// Package replay plays conversations written as text files against a sidecar
// and checks, on every one of them, what the protocol promises.
//
// # A scenario
//
// A *.rpc.txtar file starts with one line that says what must hold, followed by
// "covers:" and the ids of the rules it exercises, which MUSTS.md beside it lists.
// Its sections are:
//
//	-- flags --              goos=linux,darwin needs=sandbox:workspace-write,rung:full timeout=5s noinit alone variant=binary framing=header
//	-- policy.toml --        the policy of the user
//	-- init.json --          initializationOptions of the automatic initialize
//	-- capabilities.json --  client capabilities of the automatic initialize
//	-- ws/PATH --            a file of the workspace
//	-- golden/PATH --        what ws/PATH must hold when "! goldens" runs
//	-- script --             the conversation
//
// Unless the flags say noinit, initialize and initialized are exchanged before
// the script, and shutdown and exit after it if the sidecar still runs.
//
// # The script
//
// A statement starts in column one or with one of the marks; any other indented
// line continues the one above. A line starting with "#" is a comment.
//
//	→ #7 exec {…}                  send a request     (--> is the same as →)
//	→ initialized {}               send a notification
//	→ #$s1 {…}                     answer the server's request bound to $s1
//	→ #$s1 error -32601 {…}        … with an error
//	← #7 {…}                       expect a result    (<-- is the same as ←)
//	← #7 error -31001 "text" {…}   expect an error: code, message, members of data
//	← $/progress {…}               expect a notification
//	← #$s1 exec/requestApproval {…} expect a request of the server, bind its id
//	←= #7 {…}                      … and nothing but these members
//	←~ tok stdout "text"           the next bytes of a stream, however they were cut
//	← {                            the expectations up to "}" in any order
//	← #null error -32700 {…}       … an error that could not be given an id
//	← #<any> error -32600 {…}      … under the request's id or null
//	✗ $/progress {…} 200ms         nothing like this may follow
//
// Expectations advance through what the sidecar sent: each one looks after the frame the
// last one took, so the file's order is the order on the wire, and frames that no line
// expects are passed over. A ←~ only follows its own stream.
//
// Objects match as subsets; arrays exactly, or as a beginning if their last
// element is "...". A string in angle brackets stands for a class of values:
//
//	<any> <absent> <str> <bool> <int> <int 3> <int 1..9> <int 1..> <num>
//	<re:^a+$> <bytes:base64> <bytes:aGk=>
//
// <$x:int> also keeps the value as $x. $x (and $WS, the workspace) is replaced
// wherever it is known, bare or inside a string; anything else starting with $
// stays as it is, so that shell text needs no escapes.
//
// Verbs:
//
//	! sleep 100ms               ! eof                  ! exit 0
//	! kill-client               ! noproc $pid          ! pause-reading   ! resume
//	! raw "bytes" "x"*1000      ! frame "body" …       ! fs PATH exists
//	! fs PATH absent            ! fs PATH appears      ! fs PATH content "…"
//	! stderr "text"
//	! within 900ms #7 #9        ! goldens
//
// frame is raw as one message of either framing; within bounds the time from the request
// #7 to its response (or from #7's response to #9's).
//
// # What is always checked
//
// Frames are well formed and hold only members the protocol types declare; what the
// sidecar asks is answered or withdrawn; the invariants O1–O4 and O7–O9 of the protocol
// hold, and O10, that never more than its window is on the way to a client that
// acknowledges; output adds up to the counts of the result; no process lives after the
// sidecar; its private directories hold no leftovers.
package replay
