// The npm packages in PACKAGES, of VERSION, installed from their files without a
// network and used as people and editors do.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const { PACKAGES, VERSION } = process.env
const here = `${process.platform}-${process.arch}`
const tarballs = [`pillion-${VERSION}.tgz`, `pillion-sidecar-${here}-${VERSION}.tgz`].map((f) => path.resolve(PACKAGES, f))
let temp, workspace, pillion

const options = ['--offline', '--no-audit', '--no-fund', '--silent']
const npm = (cwd, ...args) => execFileSync('npm', [...options, ...args], { cwd, encoding: 'utf8' })
const run = (file, args, options) => spawnSync(file, args, { cwd: workspace, encoding: 'utf8', timeout: 30_000, ...options })

// A directory of its own each: Node looks for packages in all parents.
function dir(name) {
  const d = path.join(temp, name)
  fs.mkdirSync(d)
  return d
}

before(() => {
  temp = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pillion-npm-test-')))
  workspace = dir('workspace')
  const prefix = dir('global')
  npm(temp, 'install', '--global', '--prefix', prefix, ...tarballs)
  pillion = path.join(prefix, 'bin', 'pillion')
})
after(() => {
  for (const pid of running(temp)) process.kill(Number(pid), 'SIGKILL') // of tests that failed
  fs.rmSync(temp, { recursive: true, force: true })
})

test('npx finds both programs in a project, with the version', () => {
  const project = dir('project')
  npm(project, 'init', '-y')
  npm(project, 'install', ...tarballs)
  const said = (...args) => npm(project, 'exec', '--', ...args)
  assert.match(said('pillion', 'version'), new RegExp(`^pillion ${VERSION} `))
  assert.match(said('pillion-mcp', '--version'), new RegExp(`^pillion-mcp ${VERSION} `))
  // Where commands could replace it, it does not run any.
  const refused = run(path.join(project, 'node_modules/.bin/pillion'), ['exec', '--', 'true'], { cwd: project })
  assert.equal(refused.status, 125)
  assert.match(refused.stderr, /cannot be a workspace: pillion's own .* lies in it/)
})

test('the exit code is passed on', () => {
  assert.equal(run(pillion, ['exec', '--', 'exit 7']).status, 7)
  assert.equal(run(pillion, ['check', 'rm -rf ~']).status, 4)
})

test('an editor speaks to the program through the launcher', async () => {
  const { server, send, said } = await serve()
  assert.equal(said.result.serverInfo.version, VERSION)
  send({ id: 2, method: 'shutdown' }, { method: 'exit' })
  assert.deepEqual(await once(server, 'exit'), [0, null])
})

test('a program that a signal ended is reported as such', async () => {
  const { server } = await serve()
  const [program] = running('@pillion-sidecar').filter((pid) => running(temp).includes(pid))
  process.kill(Number(program), 'SIGKILL')
  assert.deepEqual(await once(server, 'exit'), [null, 'SIGKILL'])
})

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  test(`${signal} to the launcher ends the program and its command, and nothing is left`, async () => {
    const { server, send } = await serve()
    const seconds = `${signal.length}${700_000_000 + process.pid}` // found again in /proc by its argument
    send({ id: 2, method: 'exec', params: { command: `sleep ${seconds}` } })
    await until('the command runs', () => running(seconds).length > 0)
    assert.ok(running(temp).length >= 2, 'launcher and program')
    const exit = once(server, 'exit')
    server.kill(signal)
    await exit
    await until('the command is gone', () => running(seconds).length === 0)
    await until('the program is gone', () => running(temp).length === 0)
  })
}

test('Ctrl-C in a terminal arrives once: a command may still clean up', async () => {
  const text = `trap "sleep 1; echo cleaned up; exit 3" INT TERM; echo ready; while :; do sleep 0.1; done`
  const terminal = spawn('script', ['-qefc', `'${pillion}' exec -- '${text}'`, '/dev/null'], { cwd: workspace })
  let shown = ''
  terminal.stdout.on('data', (data) => (shown += data))
  const exit = once(terminal, 'exit')
  await until('the command is ready', () => shown.includes('ready'))
  terminal.stdin.write('\x03')
  await exit
  assert.match(shown, /cleaned up/)
})

test('a platform without a package is told so in one sentence', () => {
  const launch = path.join(fs.realpathSync(pillion), '../../lib/launch')
  const other = run('node', ['-e', `Object.defineProperty(process, 'arch', { value: 'riscv64' }); require(${JSON.stringify(launch)}).launch('pillion')`])
  assert.equal(other.status, 125)
  assert.match(other.stderr, /^pillion: there is no package for \w+-riscv64, only for linux-x64, .*; build pillion from source: go install \.\n$/)
})

test('a launcher without its platform package says what to do', () => {
  const prefix = dir('alone')
  npm(temp, 'install', '--global', '--omit=optional', '--prefix', prefix, tarballs[0])
  const alone = run(path.join(prefix, 'bin', 'pillion'), ['version'])
  assert.equal(alone.status, 125)
  assert.match(alone.stderr, new RegExp(`^pillion: the package @pillion-sidecar/${here} is not installed; .*\\n$`))
})

const frame = (message) => {
  const body = JSON.stringify(message)
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

// serve starts the launcher as an editor does and waits for what initialize says. The
// pipe is one that stays open when the launcher is gone: otherwise the program would
// end because its editor had.
let fifos = 0
async function serve() {
  const fifo = path.join(temp, `stdin-${++fifos}`)
  execFileSync('mkfifo', [fifo])
  const stdin = fs.openSync(fifo, 'r+')
  const server = spawn(pillion, ['serve', '--stdio'], { cwd: workspace, stdio: [stdin, 'pipe', 'ignore'] })
  const send = (...messages) => fs.writeSync(stdin, messages.map((m) => frame({ jsonrpc: '2.0', ...m })).join(''))
  const folders = [{ uri: `file://${workspace}`, name: 'w' }]
  send({ id: 1, method: 'initialize', params: { processId: process.pid, workspaceFolders: folders, capabilities: {} } })
  let text = ''
  server.stdout.on('data', (data) => (text += data))
  const answer = () => /Content-Length: (\d+)\r\n\r\n(.*)/s.exec(text)
  await until('initialize is answered', () => answer()?.[2].length >= Number(answer()?.[1]))
  send({ method: 'initialized', params: {} })
  return { server, send, said: JSON.parse(answer()[2].slice(0, Number(answer()[1]))) }
}

// running are the processes with a word in their command line.
function running(word) {
  return fs.readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)
    } catch {
      return false // it ended meanwhile
    }
  })
}

async function until(what, holds) {
  for (let i = 0; i < 200; i++, await sleep(50)) if (holds()) return
  assert.fail(`not within 10 s: ${what}`)
}
