package guard

// containerRules are about containers that reach out of themselves.
var containerRules = []Rule{
	{
		ID: "container/socket", Title: "Container daemon", Decision: Deny, Severity: 1,
		Why:      "Who can talk to the container daemon is root on this machine.",
		Message:  "gives away the container daemon's door {what}",
		Match:    []string{"docker run -v /var/run/docker.sock:/var/run/docker.sock x", "curl --unix-socket /var/run/docker.sock http://x/containers/json", "docker run --mount type=bind,source=/run/docker.sock,target=/s x", "podman run -v /run/podman/podman.sock:/s x", "docker run -v /run/containerd/containerd.sock:/x:ro y", "chmod 666 /var/run/docker.sock"},
		NotMatch: []string{"docker ps", "docker run x", "echo /var/run/docker.sock", "docker run -v \"$PWD\":/app x", "docker compose up -d"},
		when: func(_ *walker, e *effect) bool {
			return (e.kind == kindRead || writes(e)) && socket(e.path)
		},
	},
	{
		ID: "container/escape", Title: "Container with the machine's rights", Decision: Deny, Severity: 1,
		Why:      "Such a container is no border: what runs in it can change anything on this machine.",
		Message:  "{what} gives a container the rights of the machine",
		Safer:    "leave the option out, or add only the one capability that is needed",
		Match:    []string{"docker run --privileged -it alpine sh", "docker run --pid=host x", "docker run --pid host --rm x sh", "docker run --cap-add SYS_ADMIN x", "podman run --cap-add=ALL x", "docker run --device=/dev/sda x", "docker run --security-opt seccomp=unconfined x", "nsenter -t 1 -m sh", "docker exec --privileged web sh", "kubectl run x --image=y --privileged", "docker run --userns=host x", "kubectl debug node/a -it --image=x", "sudo nsenter --target 1 --mount sh"},
		NotMatch: []string{"docker run --rm alpine echo --privileged", "docker run --cap-drop ALL x", "docker build -t x .", "docker run --network host x", "docker run --device /dev/dri x", "kubectl run x --image=y", "docker run --cap-add NET_BIND_SERVICE x", "docker run --user 1000 x", "docker run --rm -it x sh -c 'ps --pid 1'", "unshare -r id"},
		when:     escapes,
	},
	{
		ID: "container/wipe", Title: "Delete containers' data", Decision: Ask, Severity: 2,
		Why:      "Volumes hold databases, and other projects' containers are on the same machine.",
		Message:  "{what} deletes containers, volumes or images that may be others'",
		Safer:    "name the container or volume; docker compose down keeps the data",
		Match:    []string{"docker system prune -af --volumes", "docker volume rm pgdata", "docker rm -f $(docker ps -aq)", "docker volume prune -f", "docker compose down -v", "docker stop $(docker ps -q)", "docker ps -aq | xargs docker rm -f", "docker rmi $(docker images -q)", "docker image prune -a", "docker-compose down --volumes", "podman system reset", "docker compose -f x.yml down -v --remove-orphans", "docker container prune -f", "docker swarm leave --force", "docker network prune -f", "kind delete clusters --all", "kind delete cluster", "minikube delete --all", "minikube delete", "k3d cluster delete -a", "multipass delete --purge vm", "lxc delete -f c", "virsh undefine vm", "docker compose -p x down -v", "vagrant destroy -f"},
		NotMatch: []string{"docker compose down", "docker rm -f web", "docker stop web", "docker image prune", "docker volume ls", "docker rmi x:dev", "docker compose up -d", "docker builder prune", "docker run -v x:/y z", "docker compose stop", "docker run --rm x down -v", "docker network rm x", "kind create cluster", "kind delete cluster --name test", "minikube stop", "minikube delete -p test", "k3d cluster delete test", "k3d cluster list", "multipass list", "virsh list", "kind get clusters", "kind load docker-image x"},
		when:     wipes,
	},
	{
		ID: "container/remote", Title: "Containers from an address", Decision: Ask, Severity: 2,
		Why:      "Whoever owns the address decides which programs start, and which folders of this machine they are given.",
		Message:  "{what} starts what it is told from elsewhere",
		Safer:    "download the file, read it, then start it",
		Match:    []string{"docker compose -f oci://registry.example.com/x:latest up", "docker compose -f https://github.com/u/r.git@v1 up", "docker-compose -f https://x.io/c.yml up -d", "docker compose -f git@github.com:u/r.git up", "docker compose --file=https://x.io/c.yml run app"},
		NotMatch: []string{"docker compose -f compose.yml up", "docker compose -f oci://x.io/a:1 config", "docker pull x.io/a:1", "docker build https://github.com/u/r.git", "docker compose --project-directory web up", "docker compose -f - up < compose.yml"},
		when:     remoteCompose,
	},
}
