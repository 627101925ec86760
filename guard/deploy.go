package guard

import (
	"slices"
	"strings"
	"sync"
)

const clusterVerbs = "delete apply create patch replace scale drain cordon uncordon taint edit set annotate label rollout+restart rollout+undo rollout+pause rollout+resume expose autoscale run certificate+approve certificate+deny"

const flyVerbs = "deploy launch apps+destroy apps+create destroy scale secrets+set secrets+unset secrets+import machine+destroy machine+stop machines+destroy volumes+destroy volumes+create postgres+create ips+release restart suspend"

var deployers = sync.OnceValue(func() phrases {
	return phrases{
		"terraform": "apply destroy import taint untaint force-unlock state+rm state+mv state+push state+replace-provider workspace+delete", "tofu": "apply destroy import taint untaint force-unlock state+rm state+mv state+push workspace+delete", "terragrunt": "apply destroy run-all+apply run-all+destroy apply-all destroy-all",
		"kubectl": clusterVerbs, "oc": clusterVerbs + " new-app new-project start-build import-image adm+policy+add* adm+policy+remove* adm+drain adm+cordon adm+uncordon adm+taint adm+prune adm+upgrade policy+add* policy+remove*", "helm": "install upgrade uninstall delete del un rollback", "helmfile": "apply sync destroy delete", "kustomize": "", "eksctl": "create delete upgrade scale", "kops": "delete create update", "argocd": "app+delete app+sync app+set cluster+rm", "flux": "delete suspend bootstrap", "istioctl": "install uninstall",
		"pulumi": "up update destroy cancel refresh import stack+rm", "cdk": "deploy destroy", "cdktf": "deploy destroy", "sam": "deploy delete sync", "serverless": "deploy remove", "sls": "deploy remove", "eb": "deploy terminate create", "amplify": "push publish delete", "copilot": "deploy app+delete svc+delete", "chalice": "deploy delete",
		"fly": flyVerbs, "flyctl": flyVerbs, "heroku": "create apps:create addons:create pg:push pg:copy pg:promote pipelines:promote maintenance:on maintenance:off restart ps:restart buildpacks:set domains:add apps:destroy pg:reset releases:rollback container:release ps:scale config:set config:unset addons:destroy domains:remove ps:stop run",
		"vercel": "deploy remove rm promote rollback alias env+rm env+add", "netlify": "deploy sites:delete sites:create env:set env:unset env:import", "firebase": "deploy firestore:delete hosting:disable database:remove database:set functions:delete functions:config:set hosting:channel:deploy auth:import", "wrangler": "deploy publish delete r2+object+delete kv:namespace+delete d1+delete secret+put secret+delete secret+bulk kv+key+put kv+key+delete kv:key+put kv:key+delete kv+namespace+delete r2+object+put r2+bucket+delete queues+delete pages+deploy pages+publish pages+project+delete rollback versions+upload versions+deploy", "supabase": "db+push functions+deploy functions+delete secrets+set secrets+unset projects+create projects+delete branches+create branches+delete", "railway": "up down delete redeploy", "render": "deploys+create", "surge": "", "bq": "rm", "turso": "db+destroy group+destroy", "pscale": "database+delete branch+delete", "neonctl": "projects+delete branches+delete databases+delete", "neon": "projects+delete branches+delete databases+delete", "now": "", "gcloud": "app+deploy run+deploy functions+deploy",
		"cf": "push delete delete-* scale restage restart stop set-env bind-service create-service", "convex": "deploy", "sst": "deploy remove", "vault": "kv+put kv+delete kv+destroy kv+patch write delete secrets+enable secrets+disable policy+write policy+delete auth+enable auth+disable operator+* token+revoke lease+revoke",
		"ansible-playbook": "", "ansible": "", "cap": "", "kamal": "deploy remove setup rollback", "nomad": "job+run job+stop run stop", "consul": "kv+delete kv+put", "etcdctl": "del put txn lease+revoke user+* role+* member+remove member+add snapshot+restore", "nixops": "deploy destroy", "colmena": "apply", "deploy-rs": "", "mina": "", "dep": "deploy", "fab": "deploy", "knife": "node+delete bootstrap cookbook+upload ssh", "doctl": "", "linode-cli": "", "hcloud": "", "vagrant": "destroy", "gh": "workflow+disable", "dokku": "", "salt": "", "pm2": "deploy", "rclone": "delete purge deletefile", "s3cmd": "del rb", "mc": "rm rb", "gsutil": "rm rb",
	}
})

func deploys(_ *walker, e *effect) bool {
	if e.kind == kindExec && e.name == "curl" {
		return remotely(e, curlSpec) && deletes(curlSpec, e.args)
	}
	if e.kind != kindExec {
		return false
	}
	if e.runs("wget") {
		return remotely(e, wgetSpec) && deletes(wgetSpec, e.args)
	}
	if e.runs("http", "https", "xh") {
		_, words := httpieSpec.options(e.args)
		return len(words) > 1 && strings.EqualFold(words[0].text, "delete") && !strings.HasPrefix(words[1].text, ":") && remotely(e, httpieSpec)
	}
	name, args := launched(e.name, e.args)
	words := commandWords(name, args)
	switch name {
	case "aws", "gcloud", "az":
		return !rehearsal(args) && !localEndpoint(name, args) && (flagged(args, "--delete") && begins(words, []string{"s3", "sync"}) || cloudChange(name, words) || deployers().match(e))
	case "etcdctl":
		if !farEndpoint(args) {
			return false
		}
	case "wrangler":
		if begins(words, []string{"d1", "execute"}) {
			return flagged(args, "--remote")
		}
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
	return deployers().match(e)
}

// farEndpoint is etcdctl told to use another machine; by itself it uses this one.
func farEndpoint(args []arg) bool {
	opts, _ := newSpec(":::", "--endpoints: --endpoint: -C: --peers:").options(args)
	return slices.ContainsFunc(opts, func(o option) bool {
		return named(o, "--endpoints", "--endpoint", "-C", "--peers") && !localHost(hostOf(o.value.text))
	})
}

func remotely(e *effect, s *spec) bool {
	_, urls := s.options(e.args)
	return anyText(urls, func(u string) bool { return !localHost(hostOf(u)) && !service(hostOf(u)) })
}

// localEndpoint is aws told to use an emulator on this machine.
func localEndpoint(name string, args []arg) bool {
	if name != "aws" {
		return false
	}
	opts, _ := specs()["aws"].options(args)
	return slices.ContainsFunc(opts, func(o option) bool {
		return named(o, "--endpoint-url") && o.valued && (localHost(hostOf(o.value.text)) || service(hostOf(o.value.text)))
	})
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
