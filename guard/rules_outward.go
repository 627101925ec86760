package guard

import (
	"slices"
	"strings"
)

// outwardRules are about what others see, or lose: releases, deployments,
// databases.
var outwardRules = []Rule{
	{
		ID: "outward/publish", Title: "Publish", Decision: Ask, Severity: 2,
		Why:      "A published version is public at once and can hardly be taken back.",
		Message:  "{what} publishes to others",
		Safer:    "--dry-run shows what would be published",
		Match:    []string{"npm publish", "cargo publish", "twine upload dist/*", "gem push x.gem", "docker push x/y:1", "gh release create v1", "gh pr merge 3 --squash", "gh repo delete x", "poetry publish", "pnpm publish -r", "yarn npm publish", "mvn deploy", "./gradlew publish", "dotnet nuget push x.nupkg", "npx semantic-release", "goreleaser release --clean", "npx changeset publish", "docker buildx build --push -t x .", "npm unpublish x@1", "vsce publish", "uv publish", "python -m twine upload dist/*", "gh api -X DELETE repos/x/y", "helm push x.tgz oci://y", "npm run build && npm publish --access public", "lerna publish", "cargo yank --version 1.0.0"},
		NotMatch: []string{"npm publish --dry-run", "npm pack", "cargo package", "cargo publish --dry-run", "gh pr create --fill", "gh pr view 3", "npm run publish:docs:check", "docker pull x", "docker build -t x .", "gh release list", "mvn package", "gradle build", "gh issue create -t x", "gh pr checkout 3", "goreleaser release --snapshot --clean", "goreleaser build", "twine check dist/*", "npm version patch", "gh api repos/x/y", "dotnet publish -c Release", "./gradlew publishToMavenLocal", "gh repo view", "gh repo clone x/y"},
		when:     publishes,
	},
	{
		ID: "outward/deploy", Title: "Change a deployment", Decision: Ask, Severity: 2,
		Why:      "It changes systems that other people use, and the change costs money or data when it is wrong.",
		Message:  "{what} changes systems outside this machine",
		Safer:    "look first: terraform plan, kubectl diff, --dry-run",
		Match:    []string{"terraform apply -auto-approve", "terraform destroy", "kubectl delete pod x", "kubectl apply -f k8s/", "kubectl -n prod drain node1", "helm install a ./b", "helm uninstall a", "aws ec2 terminate-instances --instance-ids i-1", "aws s3 rm s3://b --recursive", "gcloud compute instances delete x", "az group delete -n x", "fly deploy", "vercel --prod", "netlify deploy --prod", "firebase deploy", "serverless deploy", "cdk destroy", "pulumi up --yes", "heroku apps:destroy x", "ansible-playbook site.yml", "kubectl scale deploy/x --replicas=0", "npx wrangler deploy", "terraform state rm x", "aws s3 rb s3://b --force", "eksctl delete cluster x", "tofu apply", "terraform -chdir=infra destroy", "kubectl rollout restart deploy/x", "gcloud run deploy x", "aws lambda update-function-code --function-name x", "curl -X DELETE https://api.example.com/v1/users/1", "terragrunt run-all apply"},
		NotMatch: []string{"terraform plan", "terraform init", "terraform fmt", "kubectl get pods", "kubectl logs x", "kubectl apply --dry-run=client -f x.yml", "helm template .", "helm lint", "aws s3 ls", "aws ec2 describe-instances", "gcloud config list", "az account show", "vercel dev", "netlify dev", "firebase emulators:start", "cdk diff", "pulumi preview", "ansible-playbook --check site.yml", "kubectl exec pod -- ls", "helm upgrade --dry-run a b", "aws sts get-caller-identity", "kubectl port-forward svc/x 8080:80", "kubectl --context kind-dev apply -f x.yml", "terraform state list", "kubectl rollout status deploy/x", "curl -X DELETE http://localhost:3000/items/1", "kubectl config use-context dev", "fly logs", "heroku logs --tail", "wrangler dev", "aws s3 cp s3://b/x ."},
		when:     deploys,
	},
	{
		ID: "data/destroy", Title: "Destroy a database", Decision: Ask, Severity: 2,
		Why:      "Tables and databases that are dropped are gone with all their rows.",
		Message:  "{what} deletes data in a database",
		Safer:    "make a dump first, or use a test database",
		Match:    []string{"psql -c 'DROP DATABASE x'", "mysql -e 'drop table a'", "redis-cli FLUSHALL", "mongosh --eval 'db.dropDatabase()'", "dropdb x", "bin/rails db:drop", "bundle exec rake db:reset", "npx prisma migrate reset --force", "alembic downgrade base", "php artisan migrate:fresh", "python manage.py flush --no-input", "psql <<'EOF'\nTRUNCATE users;\nEOF", "echo 'drop table a;' | sqlite3 x.db", "sqlite3 x.db 'DELETE FROM users'", "psql -c 'delete from users;'", "docker exec db psql -U x -c 'DROP SCHEMA public CASCADE'", "mix ecto.drop", "redis-cli -h x flushdb", "npx sequelize-cli db:drop", "mysqladmin drop x", "npx prisma db push --force-reset", "kubectl exec db -- psql -c 'drop table a'", "supabase db reset", "knex migrate:rollback --all"},
		NotMatch: []string{"psql -c 'select 1'", "sqlite3 x.db '.tables'", "redis-cli ping", "bin/rails db:migrate", "npx prisma migrate dev", "alembic upgrade head", "psql -f schema.sql", "mysql -e 'show tables'", "psql -c \"delete from users where id = 1\"", "rails db:create", "npx prisma generate", "grep -rn 'DROP TABLE' migrations", "psql -c \"select 'drop table x'\"", "php artisan migrate", "python manage.py migrate", "redis-cli get x", "mongosh --eval 'db.users.find()'", "alembic downgrade -1", "psql -c 'drop table if exists tmp_x' -d test_db", "RAILS_ENV=test rails db:schema:load", "sqlite3 x.db 'select deleted from t'", "createdb x", "npx prisma db push"},
		when:     destroysData,
	},
}

var publishers = phrases{
	"npm": "publish unpublish deprecate owner+add owner+rm dist-tag+add dist-tag+rm access+set access+grant access+revoke access+public", "pnpm": "publish", "yarn": "publish npm+publish", "bun": "publish", "cargo": "publish yank", "twine": "upload", "poetry": "publish", "flit": "publish",
	"hatch": "publish", "uv": "publish", "pdm": "publish", "gem": "push yank owner", "docker": "push image+push compose+push manifest+push", "podman": "push", "nerdctl": "push", "helm": "push", "oras": "push", "crane": "push copy delete", "skopeo": "copy delete",
	"gh": "release+create release+delete release+edit release+upload pr+merge repo+delete repo+archive repo+rename repo+create repo+edit secret+set secret+delete variable+set ssh-key+add gpg-key+add repo+deploy-key", "glab": "release+create release+delete mr+merge repo+delete repo+create",
	"goreleaser": "release", "semantic-release": "", "release-it": "", "np": "", "lerna": "publish", "changeset": "publish", "vsce": "publish unpublish", "ovsx": "publish", "mvn": "deploy release:perform", "mvnw": "deploy release:perform",
	"dotnet": "nuget+push nuget+delete", "nuget": "push delete", "pod": "trunk+push", "flutter": "pub+publish", "dart": "pub+publish", "mix": "hex.publish", "sbt": "publish", "conan": "upload", "anaconda": "upload", "jfrog": "rt+upload", "fastlane": "release deliver pilot beta supply", "xcrun": "altool notarytool+submit", "eas": "submit update", "luarocks": "upload", "cabal": "upload", "lein": "deploy",
}

func publishes(_ *walker, e *effect) bool {
	if e.kind != kindExec {
		return false
	}
	name, args := launched(e.name, e.args)
	switch name {
	case "goreleaser":
		if flagged(args, "--snapshot", "--skip-publish") {
			return false
		}
	case "gradle", "gradlew":
		return !rehearsal(args) && anyText(args, func(s string) bool {
			s = s[strings.LastIndexByte(s, ':')+1:]
			return s == "publish" || s == "uploadArchives" || s == "bintrayUpload" || strings.HasPrefix(s, "publish") && !strings.Contains(s, "Local") && strings.Contains(s, "To") || s == "publishPlugins"
		})
	case "docker", "podman":
		if anyText(args, func(s string) bool { return strings.HasPrefix(s, "localhost:") || strings.HasPrefix(s, "127.0.0.1:") }) {
			return false
		}
		if flagged(args, "--push") {
			return begins(commandWords(name, args), []string{"buildx"}) || begins(commandWords(name, args), []string{"build"})
		}
	case "gh", "glab":
		if words := commandWords(name, args); begins(words, []string{"api"}) {
			return deletes(ghSpec, args)
		}
	}
	return publishers.match(e)
}

var ghSpec = newSpec(":::", "-X: --method: -f: -F: -H: --jq: -q: --input:")

// deletes reports a DELETE request, as curl and gh name the method.
func deletes(s *spec, args []arg) bool {
	opts, _ := s.options(args)
	return slices.ContainsFunc(opts, func(o option) bool {
		return named(o, "-X", "--request", "--method") && strings.EqualFold(o.value.text, "delete")
	})
}

const clusterVerbs = "delete apply create patch replace scale drain cordon uncordon taint edit set annotate label rollout+restart rollout+undo expose autoscale run"

var deployers = phrases{
	"terraform": "apply destroy import taint untaint force-unlock state+rm state+mv state+push workspace+delete", "tofu": "apply destroy import taint state+rm state+mv", "terragrunt": "apply destroy run-all+apply run-all+destroy apply-all destroy-all",
	"kubectl": clusterVerbs, "oc": clusterVerbs + " new-app", "helm": "install upgrade uninstall delete rollback", "helmfile": "apply sync destroy delete", "kustomize": "", "eksctl": "create delete upgrade scale", "kops": "delete create update", "argocd": "app+delete app+sync app+set cluster+rm", "flux": "delete suspend bootstrap", "istioctl": "install uninstall",
	"pulumi": "up update destroy cancel refresh import", "cdk": "deploy destroy", "cdktf": "deploy destroy", "sam": "deploy delete sync", "serverless": "deploy remove", "sls": "deploy remove", "eb": "deploy terminate create", "amplify": "push publish delete", "copilot": "deploy app+delete svc+delete", "chalice": "deploy delete",
	"fly": "deploy apps+destroy destroy scale secrets+set secrets+unset machine+destroy volumes+destroy", "flyctl": "deploy apps+destroy destroy scale secrets+set machine+destroy volumes+destroy", "heroku": "apps:destroy pg:reset releases:rollback container:release ps:scale config:set config:unset addons:destroy domains:remove ps:stop run",
	"vercel": "deploy remove rm promote rollback alias env+rm env+add", "netlify": "deploy sites:delete", "firebase": "deploy firestore:delete hosting:disable database:remove functions:delete", "wrangler": "deploy publish delete r2+object+delete kv:namespace+delete d1+delete secret+put", "railway": "up down delete", "render": "deploys+create", "surge": "", "now": "", "gcloud": "app+deploy run+deploy functions+deploy",
	"ansible-playbook": "", "ansible": "", "cap": "", "kamal": "deploy remove setup rollback", "nomad": "job+run job+stop run stop", "consul": "kv+delete kv+put", "etcdctl": "del put", "doctl": "", "linode-cli": "", "hcloud": "", "vagrant": "destroy", "gh": "workflow+disable", "dokku": "", "salt": "", "pm2": "deploy", "rclone": "delete purge deletefile", "s3cmd": "del rb", "mc": "rm rb", "gsutil": "rm rb",
}

func deploys(_ *walker, e *effect) bool {
	if e.kind == kindExec && e.name == "curl" {
		return remotely(e, curlSpec) && deletes(curlSpec, e.args)
	}
	if e.kind != kindExec {
		return false
	}
	name, args := launched(e.name, e.args)
	words := commandWords(name, args)
	switch name {
	case "aws", "gcloud", "az":
		return !rehearsal(args) && (flagged(args, "--delete") && begins(words, []string{"s3", "sync"}) || cloudChange(name, words) || deployers.match(e))
	case "kubectl", "helm", "oc":
		if localCluster(args) {
			return false
		}
	case "vercel":
		if flagged(args, "--prod", "--production") {
			return true
		}
	case "kustomize":
		return false
	case "ansible", "doctl", "linode-cli", "hcloud", "dokku", "salt":
		if len(words) == 0 || anyText(args, func(s string) bool {
			return slices.Contains([]string{"list", "get", "show", "describe", "ping", "version"}, s)
		}) {
			return false
		}
	}
	return deployers.match(e)
}

func remotely(e *effect, s *spec) bool {
	_, urls := s.options(e.args)
	return anyText(urls, func(u string) bool { return !localHost(hostOf(u)) && !service(hostOf(u)) })
}

// localCluster reports clusters that live on the developer's own machine.
func localCluster(args []arg) bool {
	opts, _ := specs()["kubectl"].options(args)
	return slices.ContainsFunc(opts, func(o option) bool {
		if !named(o, "--context", "--kube-context") {
			return false
		}
		v := o.value.text
		return strings.HasPrefix(v, "kind-") || strings.HasPrefix(v, "k3d-") || slices.Contains([]string{"minikube", "docker-desktop", "rancher-desktop", "colima", "orbstack", "microk8s"}, v)
	})
}

// cloudChange reports a cloud's verbs that are not for looking. aws writes them
// delete-thing, gcloud and az at the end of a path of nouns.
func cloudChange(name string, words []string) bool {
	if len(words) < 2 {
		return false
	}
	if name == "aws" {
		verb, _, _ := strings.Cut(words[1], "-")
		if words[0] == "s3" {
			return words[1] == "rm" || words[1] == "rb" || words[1] == "mb" || words[1] == "mv" && len(words) > 2 && bucket(words[2])
		}
		return words[0] != "configure" && slices.Contains([]string{"delete", "terminate", "remove", "put", "create", "update", "modify", "stop", "reboot", "run", "attach", "detach", "deregister", "disable", "purge", "revoke", "authorize", "reset", "restore", "release", "deploy", "publish", "cancel", "associate", "disassociate", "schedule"}, verb)
	}
	return slices.ContainsFunc(words[1:min(len(words), 5)], func(s string) bool {
		return slices.Contains([]string{"delete", "create", "update", "deploy", "destroy", "remove", "purge", "stop", "start", "restart", "reset", "resize", "add-iam-policy-binding", "remove-iam-policy-binding", "set-iam-policy", "rm", "deallocate", "set-policy"}, s)
	}) && words[0] != "config" && words[0] != "auth"
}
