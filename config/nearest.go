package config

import (
	"errors"
	"fmt"
	"strings"
)

// maxWord is longer than any name there is, and bounds the work.
const maxWord = 64

// mostListed is how many words a person reads to find the one that was meant.
const mostListed = 32

// Unknown is the error about a word that is none of words; kind is what they are.
func Unknown(kind, word string, words []string) error {
	text := fmt.Sprintf("there is no %s %.80q", kind, word)
	if near := Nearest(word, words); near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	} else if len(words) <= mostListed {
		text += "; there are " + strings.Join(words, ", ")
	}
	return errors.New(text)
}

// OneOf is what is expected of a word that is none of words.
func OneOf[T ~string](word string, words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	text := "one of " + strings.Join(list, ", ")
	if near := Nearest(word, list); near != "" {
		text += " (did you mean " + near + "?)"
	}
	return text
}

// Nearest is the one of words that word is a slip of, of equals the first, "" when there
// is none. The part after a slash will do, as in
// "fork-bomb" for "process/fork-bomb".
func Nearest(word string, words []string) string {
	best, limit := "", 2*max(1, len(word)/3)+1
	if len(word) > maxWord {
		return ""
	}
	word = strings.ToLower(word)
	for _, w := range words {
		lower := strings.ToLower(w)
		d := 2 * distance(word, lower)
		if _, name, ok := strings.Cut(lower, "/"); ok {
			d = min(d, 2*distance(word, name)+1)
		}
		if d <= limit {
			best, limit = w, d-1
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
