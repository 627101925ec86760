package config

import "strings"

// maxWord is longer than any name there is, and bounds the work.
const maxWord = 64

// Nearest is the one of words that word was probably meant to be, of equals the first.
// A word that contains it, or the part after a slash, counts as near: people write
// "fork-bomb" for "process/fork-bomb".
func Nearest(word string, words []string) string {
	best, least := "", 0
	word = word[:min(len(word), maxWord)]
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

// alike is the candidate that word is a slip of, "" when there is none.
func alike(word string, candidates []string) string {
	best, limit := "", max(1, len(word)/3)
	if len(word) > maxWord {
		return ""
	}
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// distance is how many bytes to insert, drop or change, or neighbours to swap,
// to get from a to b.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := above[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(above[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{above, row, before}
	}
	return rows[1][len(b)]
}
