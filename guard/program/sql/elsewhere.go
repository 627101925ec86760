package sql

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// A database of another machine is other people's: there every change is asked about.

// elsewhere reports a client that is told to use another machine.
func elsewhere(st *shell.State, args []effect.Arg) bool {
	name := argv.Base(args[0].Text)
	s, known := program.SpecOf(name)
	if !known {
		s = program.BareSpec
	}
	opts, operands := s.Options(args[1:])
	url := func(text string) bool { return place.NamesElsewhere(afterOption(text)) }
	if name == "snowsql" || name == "bq" || name == "cqlsh" && len(operands) > 0 && place.Elsewhere(operands[0].Text) ||
		argv.AnyValue(opts, place.Elsewhere, "-h", "--host", "-S", "--server", "-H", "--hostname", "-ServerInstance") ||
		argv.AnyText(args[1:], url) || slices.ContainsFunc(args[1:], ofProduction) {
		return true
	}
	variable := "PGHOST"
	if strings.HasPrefix(name, "my") {
		variable = "MYSQL_HOST"
	}
	b := st.Vars[variable]
	return len(b) == 1 && place.Elsewhere(b[0].Str)
}

func ofProduction(a effect.Arg) bool { return slices.Contains(a.From, effect.Production) }

// somewhere reports a client whose database a variable of the environment names.
func somewhere(args []effect.Arg) bool {
	return slices.ContainsFunc(args[1:], func(a effect.Arg) bool {
		return strings.HasPrefix(afterOption(a.Text), effect.Unknown) && slices.Contains(a.From, effect.Address)
	})
}

// loses reports commands that take rows or keys away. Where they are may be anywhere; other
// changes there are a developer's day.
func loses(client string, args []effect.Arg) bool {
	words := "delete"
	if client == "redis-cli" {
		words = "del unlink hdel srem zrem"
	}
	return argv.AnyText(args, func(s string) bool {
		lower := strings.ToLower(afterOption(s))
		verb, _, _ := strings.Cut(lower, " ")
		if strings.HasPrefix(client, "mongo") {
			return effect.Holds(lower, ".delete .remove")
		}
		return effect.Among(verb, words)
	})
}

// afterOption is the value of --command=…, and any other argument as it is.
func afterOption(text string) string {
	option, value, ok := strings.Cut(text, "=")
	if ok && strings.HasPrefix(option, "--") && !strings.Contains(option, " ") {
		return value
	}
	return text
}

// changesThere reports a client that changes what the database holds, or is given a file
// which may.
func changesThere(name string, args []effect.Arg, in effect.Stream) bool {
	if databaseLoaders.Has(name) {
		return !argv.Given(args, "-l", "--list", "--dryRun")
	}
	if name == "mysqladmin" || name == "rabbitmqadmin" {
		return program.Changes(program.CommandWords(name, args[1:]))
	}
	if name != "snowsql" && len(filesOf(name, args[1:])) > 0 || in.File || in.Open && len(in.From) > 0 &&
		in.Text == effect.Unknown {
		return true
	}
	return argv.AnyText(append(slices.Clip(args[1:]), effect.Arg{Text: in.Text}), func(s string) bool {
		return changes(name, afterOption(s))
	})
}

// redisChanges and sqlChanges begin commands that change something, mongoChanges are methods.
const (
	redisChanges = `set del unlink hset hdel lpush rpush lpop rpop sadd srem zadd zrem expire rename flushall flushdb incr
		decr append setex mset xadd xdel getdel persist restore move copy eval`
	sqlChanges = `insert update delete alter drop truncate create grant revoke merge replace upsert copy load rename
		optimize call exec execute vacuum reindex refresh set_config`
	mongoChanges = `.insert .update .delete .replace .drop .remove .create .rename .bulkwrite .findanddelete .findandmodify
		.findoneand`
)

func changes(client, text string) bool {
	if len(text) > effect.MaxBytes {
		return false
	}
	lower := strings.ToLower(text)
	switch client {
	case "redis-cli":
		word, _, _ := strings.Cut(lower, " ")
		return effect.Among(word, redisChanges)
	case "mongosh", "mongo":
		return effect.Holds(lower, mongoChanges)
	}
	for statement := range strings.SplitSeq(lower, ";") {
		words := strings.Fields(uncommented(statement))
		if len(words) > 1 && effect.Among(words[0], sqlChanges) {
			return true
		}
		if len(words) > 2 && words[0] == "with" && slices.ContainsFunc(words, func(s string) bool {
			return effect.Among(strings.Trim(s, "()"), "insert update delete")
		}) {
			return true
		}
	}
	return false
}
