package rpc

import "strings"

// Nearest is the one of words that word was probably meant to be: the one with
// the fewest letters to change, of equals the first. A word that contains it, or
// the part behind a slash, counts as near: people write "fork-bomb" for
// "process/fork-bomb".
func Nearest(word string, words []string) string {
	best, least := "", 0
	word = word[:min(len(word), maxWord)] // bounds the work
	for _, w := range words {
		d := 2 * distance(word, w)
		if word != "" && strings.Contains(w, word) {
			d = min(d, 1)
		}
		if _, name, ok := strings.Cut(w, "/"); ok {
			d = min(d, 2*distance(word, name)+1)
		}
		if best == "" || d < least {
			best, least = w, d
		}
	}
	return best
}

// maxWord is longer than any name there is.
const maxWord = 64

// distance is Levenshtein's, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
