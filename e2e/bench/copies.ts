/** What a copy from one machine to another takes otherwise: `scp` with a server of its own, and bare TCP onto the disk. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Folder, TestFile } from '../support/files.ts'
import { watchPeak } from './process-memory.ts'
import { threadSeconds } from './process-threads.ts'

const run = promisify(execFile)
const SSH_PORT = 2222
const TCP_PORT = 2223
const TCP_COPY = fileURLToPath(new URL('tcp-copy.ts', import.meta.url))

/** Where a copy comes from. It is made here, on this machine or at the other end of a cable. */
export interface Source {
  readonly address: string
  /** The words in front of a command that has to run there. */
  readonly enter: readonly string[]
}

/** What a copy took: seconds by the clock, seconds of the processor and the most memory, in bytes, of the receiving end. */
export interface Cost {
  readonly seconds: number
  readonly processor: number
  readonly memory: number
}

/** Runs a function with an SSH server at the source, which lets in whoever has the key in this folder. */
export async function withSsh<T>(folder: Folder, { enter }: Source, use: () => Promise<T>): Promise<T> {
  const at = (name: string) => join(folder.path, name)
  for (const key of ['host-key', 'key'])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(key)])
  const settings = [
    `Port ${SSH_PORT}`,
    `HostKey ${at('host-key')}`,
    `AuthorizedKeysFile ${at('key.pub')}`,
    `PidFile none`,
    // The folder of a test belongs to whoever runs it.
    'StrictModes no',
    'UsePAM no',
    'Subsystem sftp internal-sftp',
  ]
  await writeFile(at('sshd.conf'), `${settings.join('\n')}\n`)
  await chmod(at('key'), 0o600)
  // Where it gives its rights away. The package makes it when the service starts.
  await mkdir('/run/sshd', { recursive: true })
  const [program = '', ...words] = [...enter, '/usr/sbin/sshd', '-D', '-e', '-f', at('sshd.conf')]
  const server = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    // It says at which addresses it listens.
    await once(server.stderr, 'data')
    return await use()
  } finally {
    await end(server)
  }
}

export async function copyByScp(
  folder: Folder,
  from: Source,
  film: TestFile,
  enter: readonly string[],
  to: string,
) {
  const trust = [
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    'UserKnownHostsFile=/dev/null',
    '-o',
    'LogLevel=ERROR',
  ]
  const [program = '', ...words] = [...enter, 'scp', '-q', ...trust, '-i', join(folder.path, 'key')]
  const source = `${userInfo().username}@${from.address}:${film.path}`
  return await cost(spawn(program, [...words, '-P', `${SSH_PORT}`, source, to], { stdio: 'inherit' }))
}

export async function copyByTcp(
  from: Source,
  film: TestFile,
  enter: readonly string[],
  to: string,
): Promise<Cost> {
  const [program = '', ...words] = [
    ...from.enter,
    process.execPath,
    TCP_COPY,
    'source',
    `${TCP_PORT}`,
    film.path,
  ]
  const source = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(source.stdout, 'data')
    const [sink = '', ...args] = [
      ...enter,
      process.execPath,
      TCP_COPY,
      'sink',
      from.address,
      `${TCP_PORT}`,
      to,
    ]
    return await cost(spawn(sink, args, { stdio: 'inherit' }))
  } finally {
    await end(source)
  }
}

/** What a program costs from now to its end. */
async function cost(child: ChildProcess): Promise<Cost> {
  const began = performance.now()
  const gone = once(child, 'exit')
  const watch = watchCost(child.pid ?? Number.NaN)
  const [code] = (await gone) as [number | null]
  const seconds = (performance.now() - began) / 1_000
  if (code !== 0) throw new Error(`a copy ended with ${code}`)
  return { seconds, ...(await watch.stop()) }
}

/** Looks at what a process and its children use, until it is stopped. */
export function watchCost(pid: number): { stop: () => Promise<{ processor: number; memory: number }> } {
  const peak = watchPeak(pid)
  let processor = 0
  const look = async () => {
    const threads = await threadSeconds(pid)
    // Of a process that is gone nothing is left.
    processor = Math.max(
      processor,
      [...threads.values()].reduce((sum, one) => sum + one, 0),
    )
  }
  const timer = setInterval(look, 50)
  return {
    stop: async () => {
      clearInterval(timer)
      await look()
      return { processor, memory: await peak.stop() }
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
