/**
 * Firefox in a network namespace, for a driver outside of it: `firefox-elsewhere.ts NAMESPACE ARGUMENT…`. Firefox is
 * driven over a port of its own loopback, which only its namespace reaches. The same port of this one leads there, by
 * a socket in a folder, because those belong to no network.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const FIREFOX = '/usr/bin/firefox-esr'
/** What Firefox prints once it can be driven. */
const LISTENING = /ws:\/\/127\.0\.0\.1:(\d+)/

const [first = '', ...rest] = process.argv.slice(2)
if (first === '--inside') await leadsInside(rest[0] ?? '', Number(rest[1]))
else await runs(first, rest)

async function runs(namespace: string, args: readonly string[]): Promise<void> {
  const enter = `--net=/run/netns/${namespace}`
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-firefox-'))
  const firefox = spawn('nsenter', [enter, FIREFOX, ...args], { stdio: ['inherit', 'inherit', 'pipe'] })
  process.on('SIGTERM', () => firefox.kill())
  firefox.once('exit', (code) => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(code ?? 1)
  })
  for await (const line of createInterface(firefox.stderr)) {
    const port = LISTENING.exec(line)?.[1]
    if (port) await leadsTo(join(folder, 'socket'), Number(port), enter)
    process.stderr.write(`${line}\n`)
  }
}

/** Leads this namespace's port to the other one's. */
async function leadsTo(path: string, port: number, enter: string): Promise<void> {
  const own = fileURLToPath(import.meta.url)
  const inside = spawn('nsenter', [enter, process.execPath, own, '--inside', path, String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  process.once('exit', () => inside.kill())
  await once(inside.stdout, 'data')
  const outside = createServer((client) => joins(client, connect(path)))
  await once(outside.listen(port, '127.0.0.1'), 'listening')
}

async function leadsInside(path: string, port: number): Promise<void> {
  const server = createServer((client) => joins(client, connect(port, '127.0.0.1')))
  await once(server.listen(path), 'listening')
  process.stdout.write('ready\n')
}

function joins(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one)
  one.on('error', () => other.destroy())
  other.on('error', () => one.destroy())
}
