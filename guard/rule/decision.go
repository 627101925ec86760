package rule

// Decision is what should happen to a command.
type Decision string

// The decisions, from the loosest to the strictest. The strictest finding wins.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Rank orders decisions by strictness; an unknown word counts as the strictest.
func (d Decision) Rank() int {
	switch d {
	case Allow:
		return 0
	case Ask:
		return 1
	}
	return 2
}
