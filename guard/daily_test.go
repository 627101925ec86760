package guard

import (
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/rule"
)

// daily is a day's work in projects of many kinds, near everything the rule
// families look at. One command a line.
const daily = `
git fetch --all --prune
git pull --rebase origin main
git push origin HEAD
git push --set-upstream origin feature/reset-password
git push origin release/1.2.0
git push --dry-run --follow-tags
git commit --amend --no-edit
git commit -m "feat: read secrets from vault" -m "never cat .env"
git commit --fixup HEAD~2
git rebase --continue
git rebase --onto main feature~3 feature
git cherry-pick abc123
git merge --no-ff feature/x
git merge --abort
git revert HEAD
git checkout -
git checkout main
git checkout -b feature/clean-up origin/main
git checkout HEAD~1 -- package.json
git checkout -- go.sum
git checkout origin/main -- src/config.ts
git switch -
git switch -c fix/force-logout
git restore --source=HEAD~1 src/a.ts
git restore --staged .
git restore package-lock.json
git reset
git reset HEAD~1
git reset --mixed HEAD~1
git reset --keep origin/main
git branch --merged | grep -v main
git branch -d feature/done
git branch -vv
git branch -M main
git branch --set-upstream-to=origin/main
git stash push -u -m "wip"
git stash show -p stash@{0}
git stash apply
git tag -l 'v1.*'
git tag -d v0.0.1-test
git remote add upstream https://github.com/a/b.git
git remote set-url origin git@github.com:a/b.git
git remote -v
git config user.email dev@example.com
git config --list --show-origin
git log -p --follow src/main.go
git log --all --oneline --graph -20
git log -S 'password' --oneline
git diff --name-only origin/main...HEAD
git diff -- '*.go'
git diff main -- src/
git show --stat HEAD
git blame -L 10,20 src/auth/secrets.go
git bisect start HEAD v1.0.0
git worktree add wt-fix fix
git submodule update --init --recursive
git lfs pull
git archive --format=tar.gz -o out.tgz HEAD
git clean -nd
git clean --dry-run -x
git rm --cached config/local.yml
git rm -r old
git mv a.go b.go
git add -p
git add src/secrets.go internal/credentials/store.go
git add .env.example .gitignore
git add .github/workflows/deploy.yml
git ls-files --others --exclude-standard
git reflog
git rev-list --count HEAD
git shortlog -sn
git apply fix.patch
git format-patch -1
git am < fix.patch
git gc
git fsck
git describe --tags --always
git status -sb && git stash list
rm -f .git/index.lock
cat .git/HEAD
cat .gitignore
cat .git/config
grep -q '^\.env$' .gitignore || echo .env >> .gitignore
cp .env.example .env && npm install
cp -n .env.sample .env.local
test -f .env || cp .env.template .env
[ -f .env ] && set -a && . ./.env && set +a
set -a; source .env.local; set +a; npm run dev
export $(cat .env | xargs) && python app.py
export $(grep -v '^#' .env | xargs -0)
ls -la .env*
stat .env
rm -f .env.local
mv .env.development .env
echo "PORT=3000" > .env
printf 'A=1\nB=2\n' > .env.test
cat > .env <<'EOF'\nPORT=3000\nEOF
grep -c '=' .env
grep -q DATABASE_URL .env && echo configured
sed -i 's/^DEBUG=.*/DEBUG=false/' .env
sed -i.bak -e 's/a/b/' .env
diff .env.example .env.template
docker run --rm --env-file .env app:dev
docker compose --env-file .env.staging up -d
node --env-file=.env server.js
npx dotenv -e .env.test -- jest
npx dotenv-cli -e .env -- npm start
poetry run dotenv run -- python x.py
touch .env.local && chmod 600 .env.local
chmod 600 certs/server.key
chmod 400 deploy.pem
openssl req -x509 -newkey rsa:4096 -nodes -keyout key.pem -out cert.pem -days 365 -subj /CN=localhost
openssl genrsa -out private.key 2048
openssl rsa -in private.key -pubout -out public.pem
openssl x509 -in cert.pem -noout -text
openssl verify -CAfile ca.pem server.crt
openssl s_client -connect example.com:443 -servername example.com </dev/null
openssl rand -hex 32
openssl dgst -sha256 dist.tgz
openssl pkcs12 -export -in cert.pem -inkey key.pem -out bundle.p12
ssh-keygen -t ed25519 -f deploy_test -N '' -q
ssh-keygen -lf id_ed25519.pub
mkcert localhost 127.0.0.1
keytool -list -keystore app.jks -storepass changeit
curl --cacert ca.pem --cert client.pem --key client.key https://localhost:8443/health
curl -fsSL https://example.com/install.sh -o install.sh
curl -sS -H "Authorization: Bearer $TOKEN" https://api.github.com/user
curl -u "$USER:$PASS" https://api.example.com/v1/status
curl -sX POST http://localhost:3000/v1/items -H 'Content-Type: application/json' -d '{"name":"x"}'
curl -X PUT -d @body.json http://localhost:3000/v1/items/1
curl -F "image=@test/fixtures/cat.png" http://localhost:8080/upload
curl --upload-file dist.tgz http://localhost:9000/bucket/dist.tgz
curl --data-binary @query.sql http://localhost:8123/
curl -G --data-urlencode "q=a b" https://example.com/search
curl -s http://localhost:9200/_cat/indices
curl -XDELETE http://localhost:9200/test-index
curl -w '%{http_code}' -o /dev/null -s https://example.com
curl -L "https://github.com/x/y/releases/download/v1/x-$(uname -s)-$(uname -m)" -o bin/x
curl -s https://example.com/data.json | jq '.[0]' > out.json
curl http://api:3000/health
echo '{"a":1}' | curl -s -d @- http://localhost:3000/hook
jq -n --arg v "$V" '{version:$v}' | curl -sd @- http://localhost:3000/x
curl -s --retry 3 -C - -O https://example.com/big.iso
wget -qO- https://example.com/version.txt
wget --no-check-certificate -P downloads https://localhost/x
wget --post-data='a=1' http://localhost:3000/
http GET localhost:3000/items
http POST localhost:3000/items name=x
xh https://example.com
nc -z localhost 5432
nc -vz db.internal.example.com 5432
until nc -z localhost 6379; do sleep 1; done
telnet localhost 6379
echo PING | nc -w1 localhost 6379
dig +short example.com
nslookup example.com
ping -c 1 8.8.8.8
host example.com
ssh build.example.com uptime
ssh -i key.pem ubuntu@1.2.3.4 'docker ps'
ssh -p 2222 -L 5432:localhost:5432 bastion -N
ssh -T git@github.com
scp build.example.com:/var/log/app.log .
rsync -avz build.example.com:dist/ dist/
rsync -av --exclude node_modules src/ /tmp/copy/
env NODE_ENV=test FOO=bar npm test
env -i PATH="$PATH" make
env -u GOFLAGS go test ./...
env | grep -i node
printenv | grep GO
printenv HOME
env | grep '^CI'
env | cut -d= -f1 | sort
echo "$PATH" | tr ':' '\n'
set -x
set -o pipefail; make
export NODE_ENV=production
declare -A map
npm ci
npm i -D typescript @types/node
npm install --save-exact react@18
npm run env
npm run publish:check
npm pack --dry-run
npm version patch --no-git-tag-version
npm view react version
npm outdated
npm audit fix
npm ls --depth=0
npm link ../lib || true
npm exec -- tsc --noEmit
npm config get registry
npm whoami
npm cache clean --force
npx create-next-app@latest web --ts
npx prisma generate
npx prisma migrate dev --name init
npx prisma studio
npx playwright install
npx serve -s build
npx kill-port 3000
yarn add -D jest
yarn workspaces foreach run build
yarn dlx create-react-app x
pnpm add -w typescript
pnpm install --frozen-lockfile
pnpm --filter web build
bun install
bun run dev
deno task start
pip install -e '.[dev]'
pip install --user black
pip install torch --index-url https://download.pytorch.org/whl/cpu
pip uninstall -y requests
pip freeze > requirements.txt
pipx run black .
poetry install
poetry add requests
poetry build
uv pip install -r requirements.txt
uv sync
uv run pytest
conda env create -f environment.yml
python -m pytest -x
python -m build
python manage.py migrate
python manage.py makemigrations
python manage.py runserver 0.0.0.0:8000
python manage.py test
flask db upgrade
alembic upgrade head
alembic revision --autogenerate -m "add secrets table"
alembic downgrade -1
twine check dist/*
ruff check --fix .
cargo publish --dry-run
cargo install --path .
cargo clean
cargo add serde
cargo update
rustup target add wasm32-unknown-unknown
go install golang.org/x/tools/gopls@latest
go clean -cache
go generate ./...
go mod download
goreleaser build --snapshot --clean
mvn clean install
mvn -q -DskipTests package
./mvnw spring-boot:run
./gradlew clean build
./gradlew publishToMavenLocal
gradle wrapper
sbt compile
bundle install
bundle exec rspec
bundle exec rails db:migrate
bin/rails db:create db:migrate db:seed
bin/rails credentials:edit
rake test
gem install bundler
gem build x.gemspec
composer install
composer require laravel/sanctum
php artisan migrate
php artisan serve
php artisan key:generate
vendor/bin/phpunit
dotnet restore
dotnet publish -c Release -o out
dotnet tool restore
dotnet ef migrations add Init
dotnet user-secrets list
cmake -S . -B build && cmake --build build -j
make clean all
ninja -C build
meson setup build
conan install . --build=missing
vcpkg install fmt
mix deps.get
mix test
mix ecto.migrate
flutter pub get
dart pub get
swift build
xcodebuild -scheme App test
pod install
docker ps -a
docker images
docker build --build-arg V=1 -t app:dev -f docker/Dockerfile .
docker run --rm -it -v "$(pwd)":/work -w /work -p 3000:3000 node:20 bash
docker run -d --name pg -e POSTGRES_PASSWORD=x -p 5432:5432 -v pgdata:/var/lib/postgresql/data postgres:16
docker run --rm -v ./data:/data:ro alpine ls /data
docker run --rm --mount type=bind,source="$PWD",target=/app node npm test
docker run --network host app
docker exec -it web bash
docker exec -i db psql -U postgres -c 'select count(*) from users'
docker exec db pg_dump -U postgres app > dump.sql
docker cp web:/app/coverage ./coverage
docker cp config.json web:/app/
docker logs -f --tail 100 web
docker stop web && docker rm web
docker rm -f web
docker rmi app:dev
docker compose up -d --build
docker compose down
docker compose down --remove-orphans
docker compose -f docker-compose.test.yml run --rm test
docker compose exec web sh -c 'ls /app'
docker compose logs -f api
docker-compose build --no-cache
docker image prune -f
docker network create dev
docker volume create x
docker inspect web --format '{{.State.Status}}'
docker buildx build --platform linux/amd64 -t x --load .
docker save app:dev -o app.tar
docker load -i app.tar
docker system df
docker context use default
podman run --rm -it alpine sh
kubectl get pods -A -o wide
kubectl get secrets
kubectl get deploy web -o yaml
kubectl describe pod x
kubectl logs -f deploy/web
kubectl exec -it web -- sh
kubectl port-forward svc/db 5432:5432
kubectl config get-contexts
kubectl diff -f k8s/
kubectl apply --dry-run=server -f k8s/
kubectl --context minikube apply -f k8s/
kubectl rollout status deploy/web
kubectl top nodes
kubectl explain pod.spec
helm template web ./chart -f values.yaml
helm lint ./chart
helm repo add bitnami https://charts.bitnami.com/bitnami
helm dependency update
helm list -A
kind create cluster
minikube start
terraform init -upgrade
terraform plan -out plan.tfplan
terraform validate
terraform output -json
terraform state list
terraform workspace list
terraform fmt -recursive
pulumi preview
ansible-playbook --syntax-check site.yml
ansible-playbook -i inventory --check site.yml
ansible-lint
aws s3 ls s3://bucket/
aws s3 cp s3://bucket/x.json .
aws sts get-caller-identity
aws ec2 describe-instances --region eu-west-1
aws logs tail /aws/lambda/x --follow
aws configure list
gcloud config set project x
gcloud compute instances list
gcloud auth list
az account list
az login
gh pr create --fill
gh pr checkout 12
gh pr list --state open
gh pr view 3 --json title
gh pr comment 3 -b "LGTM"
gh issue create --title x --body "delete the repo"
gh run watch
gh run view --log-failed
gh release view v1.0.0
gh auth status
gh api repos/{owner}/{repo}/pulls
heroku logs --tail
fly status
vercel dev
netlify dev
wrangler dev
firebase emulators:start
sls offline
cdk synth
psql "$DATABASE_URL" -c 'select 1'
psql -h localhost -U dev -d app -f schema.sql
psql -c "create table x (id int)"
psql -c "delete from sessions where expires < now()"
createdb app_test
pg_dump app > dump.sql
mysql -u root -e 'show databases'
mysql app < schema.sql
sqlite3 app.db '.schema'
sqlite3 app.db 'select * from users limit 5'
redis-cli ping
redis-cli --scan --pattern 'user:*'
redis-cli del session:1
mongosh --eval 'db.users.countDocuments()'
ps aux | grep node
kill -9 12345
kill $(cat app.pid)
kill $(lsof -ti :3000)
lsof -ti:8080 | xargs kill -9
kill -TERM "$SERVER_PID" && wait "$SERVER_PID"
pgrep -fl node
trap 'kill $PID' EXIT; npm start & PID=$!
pkill -P $$
fuser -k 8080/tcp
jobs -l
sudo -u postgres createdb app
sudo docker ps
systemctl status docker
systemctl --user status podman
journalctl -u nginx -n 50
service postgresql status
brew list
brew --prefix openssl
apt list --installed | grep libssl
dpkg -l | grep libpq
apt-cache policy nodejs
mount | grep docker
df -h
du -sh node_modules
free -m
ip addr show
date +%Y-%m-%d
crontab -l
history | tail -20
tmux new-session -d -s dev
tmux kill-session -t dev
nohup npm start > app.log 2>&1 &
chmod 755 bin/run
chmod -R u+rw build
chmod +x gradlew
chown dev:dev out.txt
umask 022
yes | npx create-thing
yes '' | make oldconfig
dd if=/dev/urandom of=random.bin bs=1M count=16
head -c 1048576 /dev/zero > zeros.bin
truncate -s 1G disk.img
fallocate -l 100M swap.img
tar czf backup.tgz src docs
tar xzf release.tgz --strip-components=1 -C vendor
tar -tf a.tar | head
zip -r dist.zip dist -x '*.map' .env
7z x archive.7z -oout
gpg --verify x.sig x
gpg --list-secret-keys
sops -e -i secrets.enc.yaml
ansible-vault encrypt_string x
vault status
pass git status
age -e -r age1x -o x.age x
cat docs/secrets.md
cat src/credentials.ts
cat pkg/token/token.go
cat config/application.yml
cat package.json tsconfig.json
cat k8s/deployment.yaml
cat chart/templates/secret.yaml
cat .npmrc
cat .nvmrc .tool-versions
cat testdata/cert.pem
cat certs/ca-bundle.pem
head -20 server.crt
cat i18n/password-reset.json
less CHANGELOG.md
vim README.md
code .
code .env.example
ls ~/project/src
ls .ssh-config-template
find . -name '*.env.example'
find . -name '*.key' -not -path './node_modules/*'
find . -name .env -type f
find . -type f -name '*.pem' -print | wc -l
find . -name '.env*' -exec ls -l {} +
find . -name node_modules -prune -exec rm -rf {} +
grep -rn "SECRET_KEY" src --include='*.py'
grep -rE 'password|token' src | head
rg 'AKIA[0-9A-Z]{16}' src
rg -l API_KEY
echo '.vscode/' >> .gitignore
mkdir -p .vscode .idea
cat .vscode/settings.json
cat > .vscode/extensions.json <<'EOF'\n{}\nEOF
pre-commit run --all-files
npx lint-staged
python3 -m http.server 8000
php -S localhost:8000
nmap -p 80 localhost
echo "sudo apt install jq" >> README.md
echo "docker system prune -af" | tee docs/cleanup.md
grep -n "git push --force" scripts/*.sh
printf '%s\n' "terraform destroy"
man git-reset
tldr kubectl
`

func TestDailyWorkIsAllowed(t *testing.T) {
	n := 0
	for line := range strings.SplitSeq(strings.TrimSpace(daily), "\n") {
		command := strings.ReplaceAll(line, `\nEOF`, "\nEOF")
		command = strings.ReplaceAll(command, `<<'EOF'\n`, "<<'EOF'\n")
		if v := judge(command); v.Decision != rule.Allow {
			t.Errorf("%q: %s", command, describe(v))
		}
		n++
	}
	if n < 300 {
		t.Errorf("only %d commands", n)
	}
}
