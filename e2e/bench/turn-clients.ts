/** coturn's own client, as the load on a TURN server of this machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/server.ts'

/** Clients at once, each with a packet every millisecond: more than either server relays. */
const CLIENTS = 25
const PACKETS = 4_000
const READY_WITHIN_MS = 60_000
/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** Whether this process, and those that it starts from now on, may open so many files. Only root may raise the limit. */
export function allowsOpenFiles(count: number): boolean {
  const set = spawnSync('prlimit', ['--pid', `${process.pid}`, `--nofile=${count}:${count}`])
  return set.status === 0
}

export interface Login {
  readonly username: string
  readonly password: string
  readonly host: string
  readonly port: number
}

export interface Rate {
  /** Packets that went to a peer and back in the best second. */
  readonly perSecond: number
  /** Processor time of the server for one of them. */
  readonly microseconds: number
  readonly lost: number
}

/** Sends packets through a server and back as fast as its client can. The way to the peer is UDP in both cases. */
export async function packetRate(server: number, login: Login, transport: 'udp' | 'tcp'): Promise<Rate> {
  const peerPort = await freePort()
  const peer = spawn('turnutils_peer', ['-L', login.host, '-p', `${peerPort}`], { stdio: 'ignore' })
  try {
    const before = await processorSeconds(server)
    const load = ['-m', `${CLIENTS}`, '-n', `${PACKETS}`, '-l', '1000', '-z', '1', '-r', `${peerPort}`]
    const options = transport === 'tcp' ? [...load, '-t'] : load
    const said = await textOf(client(login, login.host, options, 'pipe'))
    const seconds = (await processorSeconds(server)) - before
    const received = [...said.matchAll(/^\d+: .*tot_recv_msgs=(\d+), tot_send_bytes/gm)].map((hit) =>
      Number(hit[1]),
    )
    const total = Number(/tot_recv_msgs=(\d+)\s*$/m.exec(said)?.[1])
    const sent = CLIENTS * PACKETS
    if (!(total > 0)) throw new Error(`no packet came back:\n${said}`)
    const steps = received.map((count, index) => count - (received[index - 1] ?? 0))
    return { perSecond: Math.max(...steps), microseconds: (1e6 * seconds) / total, lost: sent - total }
  } finally {
    await ended(peer)
  }
}

/** The memory of the server's process before, and while it holds allocations: so many for each login. */
export async function holdAllocations(
  server: number,
  logins: readonly Login[],
  each: number,
): Promise<{ before: number; after: number }> {
  const before = await residentBytes(server)
  const descriptors = await openDescriptors(server)
  // Each address may have 512 of them.
  const address = (index: number) => `127.0.0.${2 + Math.floor((index * each) / 500)}`
  const idle = ['-m', `${each}`, '-n', '1000', '-z', '60000', '-r', '9']
  const clients = logins.map((login, index) => client(login, address(index), idle, 'ignore'))
  try {
    const deadline = performance.now() + READY_WITHIN_MS
    const wanted = descriptors + logins.length * each
    while ((await openDescriptors(server)) < wanted) {
      if (performance.now() > deadline)
        throw new Error(
          `${(await openDescriptors(server)) - descriptors} of ${wanted - descriptors} allocations`,
        )
      await pause(100)
    }
    return { before, after: await residentBytes(server) }
  } finally {
    await Promise.all(clients.map(ended))
  }
}

function client(
  { username, password, host, port }: Login,
  from: string,
  options: readonly string[],
  stdout: 'pipe' | 'ignore',
): ChildProcess {
  const login = ['-u', username, '-w', password, '-p', `${port}`, '-c', '-e', host, '-L', from]
  return spawn('turnutils_uclient', [...login, ...options, host], {
    stdio: ['ignore', stdout, 'inherit'],
  })
}

async function textOf(child: ChildProcess): Promise<string> {
  let text = ''
  child.stdout?.on('data', (bytes: Buffer) => {
    text += bytes.toString()
  })
  await once(child, 'close')
  return text
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function openDescriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length
}

async function residentBytes(pid: number): Promise<number> {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
