package guard

import "testing"

// A variable of the environment that is called after production says whose data it is.
func TestAVariableSaysThatItIsProduction(t *testing.T) {
	for text, want := range map[string]Decision{
		`psql "$PRODUCTION_URL" -c 'delete from x where a=1'`: Ask,
		`mysqldump x | mysql -h "$STAGING_HOST" x`:            Ask,
		`sequelize-cli db:migrate --url "$PROD_DB"`:           Ask,
		`alembic -x stage=production upgrade head`:            Ask,
		`psql "$PROD_URL" -c 'select 1'`:                      Allow,
		`psql "$PRODUCT_DB" -c 'delete from x where a=1'`:     Allow,
		`alembic -x env=dev upgrade head`:                     Allow,
	} {
		if v := judge(text); v.Decision != want {
			t.Errorf("%s: %v", text, describe(v))
		}
	}
}
