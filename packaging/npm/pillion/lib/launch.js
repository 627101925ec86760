'use strict'
// Starts the program of this machine's platform package as if it had been started
// itself: same arguments, same streams, its exit code, and signals go to it.
const { spawn } = require('node:child_process')
const os = require('node:os')
const path = require('node:path')
const tty = require('node:tty')

// The terminal sends these to everybody in front of it, so the program has them
// already; a second Ctrl-C would mean "kill" to pillion exec.
const fromTerminal = ['SIGINT', 'SIGQUIT', 'SIGHUP']

function find(program) {
  const name = `@pillion-sidecar/${process.platform}-${process.arch}`
  const { optionalDependencies: packages } = require('../package.json')
  if (!(name in packages)) {
    const all = Object.keys(packages).map((p) => p.split('/')[1]).join(', ')
    throw new Error(`there is no package for ${process.platform}-${process.arch}, only for ${all}; build pillion from source: go install .`)
  }
  try {
    const dir = path.dirname(require.resolve(`${name}/package.json`))
    return path.join(dir, 'bin', process.platform === 'win32' ? `${program}.exe` : program)
  } catch {
    throw new Error(`the package ${name} is not installed; install pillion again without --omit=optional (--no-optional)`)
  }
}

function fail(message) {
  process.stderr.write(`pillion: ${message}\n`)
  process.exitCode = 125 // as pillion itself: nothing was started
}

function launch(program) {
  let file
  try {
    file = find(program)
  } catch (err) {
    return fail(err.message)
  }
  // Not process.stdin.isTTY: asking for that object makes a shared pipe non-blocking.
  const terminal = [0, 1, 2].some((fd) => tty.isatty(fd))
  let child
  const handlers = new Map()
  // Before the start, so that no signal can end this process and leave the program.
  for (const signal of process.platform === 'win32' ? [] : ['SIGTERM', ...fromTerminal, 'SIGUSR1', 'SIGUSR2']) {
    const pass = () => (terminal && fromTerminal.includes(signal)) || child.kill(signal)
    handlers.set(signal, pass)
    process.on(signal, pass)
  }
  child = spawn(file, process.argv.slice(2), { stdio: 'inherit' })
  child.on('error', (err) => fail(`${file} does not start (${err.code}); install pillion again`))
  child.on('exit', (code, signal) => {
    for (const [name, pass] of handlers) process.off(name, pass)
    // Ended by a signal, so is this process: who waits for it sees the same.
    if (signal) process.kill(process.pid, signal)
    process.exitCode = signal ? 128 + os.constants.signals[signal] : code
  })
}

module.exports = { launch }
