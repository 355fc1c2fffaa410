/** The embedded TURN server compared with coturn: the same load goes to both in turns. */
import { Coturn } from '../support/coturn.ts'
import { MB } from '../support/files.ts'
import { RawClient } from '../support/raw-client.ts'
import { Server } from '../support/server.ts'
import { bareChannelSpeed } from './bare-channel.ts'
import { median, type Row } from './table.ts'
import { allowsOpenFiles, holdAllocations, type Login, packetRate } from './turn-clients.ts'
import { withTwoBrowsers } from './two-browsers.ts'

const SIZE = 200 * MB
const RUNS = 3
/** Allocations of one device. Both servers allow 64, and coturn's client makes some of them twice. */
const PER_DEVICE = 25
const DEVICES_PER_BEAM = 10
const FEW = 100
const MANY = 10_000
/** Of 20,000 open files, which many systems allow, the embedded server takes an eighth for allocations. */
const MANY_WITH_FEW_FILES = 2_000

/** One port for UDP and TCP, as people have it, so each server has an address of its own. */
const PORT = 3478
const ADDRESSES = { embedded: '127.0.0.2', coturn: '127.0.0.3' }

const EMBEDDED = {
  HELIOGRAPH_TURN: 'embedded',
  HELIOGRAPH_TURN_LISTEN: `${ADDRESSES.embedded}:${PORT}`,
  HELIOGRAPH_TURN_HOST: ADDRESSES.embedded,
  HELIOGRAPH_TURN_ALLOW_PEERS: '127.0.0.0/8',
}

/** A TURN server, and the product that gives its devices credentials for it. */
interface Turn {
  readonly name: keyof typeof ADDRESSES
  readonly product: Server
  /** The process of the TURN server. */
  readonly pid: number
}

export async function measureTurn(): Promise<Row[]> {
  const rows = await withBoth(async (ours, theirs) => [
    await compareTransfers(ours, theirs, 'udp'),
    await compareTransfers(ours, theirs, 'tcp'),
    await comparePackets(ours, theirs, 'udp'),
    await comparePackets(ours, theirs, 'tcp'),
  ])
  const notes: string[] = []
  // Servers that are new, because the allocations of an ended client stay for minutes.
  for (const count of [FEW, allowsOpenFiles(8 * MANY + 1_000) ? MANY : MANY_WITH_FEW_FILES])
    await withBoth(async (...both) => {
      for (const turn of both) notes.push(await memoryFor(turn, count))
    })
  return rows.map((row, index) => (index === rows.length - 1 ? { ...row, notes } : row))
}

async function withBoth<T>(run: (ours: Turn, theirs: Turn) => Promise<T>): Promise<T> {
  const coturn = await Coturn.start(ADDRESSES.coturn, PORT)
  const embedded = await Server.start(EMBEDDED)
  const paired = await Server.start(coturn.settings)
  try {
    const ours = { name: 'embedded' as const, product: embedded, pid: embedded.pid }
    return await run(ours, { name: 'coturn', product: paired, pid: coturn.pid })
  } finally {
    await embedded.stop()
    await paired.stop()
    await coturn.stop()
  }
}

async function compareTransfers(ours: Turn, theirs: Turn, transport: 'udp' | 'tcp'): Promise<Row> {
  const speed = (bytesPerSecond: number) => `${(bytesPerSecond / MB).toFixed(1)} MB/s`
  const measure = (turn: Turn) => transferSpeed(turn, transport)
  const figure = `TURN over ${transport.toUpperCase()}, 200 MB by a data channel`
  return await alternate(figure, ours, theirs, measure, speed)
}

async function comparePackets(ours: Turn, theirs: Turn, transport: 'udp' | 'tcp'): Promise<Row> {
  const rate = (packets: number) => `${packets.toFixed(0)}/s`
  const measure = async (turn: Turn) => {
    const { perSecond, microseconds, lost } = await packetRate(turn.pid, await firstLogin(turn), transport)
    const cost = `${microseconds.toFixed(1)} µs of processor time a packet, ${lost} lost`
    process.stderr.write(`  ${turn.name}: ${rate(perSecond)}, ${cost}\n`)
    return perSecond
  }
  const figure = `TURN over ${transport.toUpperCase()}, packets of 1,000 bytes`
  return await alternate(figure, ours, theirs, measure, rate)
}

async function alternate(
  figure: string,
  ours: Turn,
  theirs: Turn,
  measure: (turn: Turn) => Promise<number>,
  print: (value: number) => string,
): Promise<Row> {
  const embedded: number[] = []
  const coturn: number[] = []
  for (let run = 1; run <= RUNS; run += 1) {
    const [one, two] = [await measure(ours), await measure(theirs)]
    embedded.push(one)
    coturn.push(two)
    process.stderr.write(`${figure}, run ${run} of ${RUNS}: ${print(one)}, coturn ${print(two)}\n`)
  }
  const [product, reference] = [median(embedded), median(coturn)]
  return {
    figure,
    product: print(product),
    reference: print(reference),
    value: product / reference,
    target: { atLeast: 0.9 },
  }
}

/** The speed between two browsers of which each uses a relay. */
async function transferSpeed(turn: Turn, transport: 'udp' | 'tcp'): Promise<number> {
  const { host, port, username, password } = await firstLogin(turn)
  const server = { urls: `turn:${host}:${port}?transport=${transport}`, username, credential: password }
  return await withTwoBrowsers(async (one, two) => {
    for (const { page } of [one, two]) await page.goto(`${turn.product.origin}/healthz`)
    const configuration: RTCConfiguration = { iceServers: [server], iceTransportPolicy: 'relay' }
    return await bareChannelSpeed(one.page, two.page, SIZE, configuration)
  })
}

/** What many allocations at once add to the memory of the server's process. */
async function memoryFor(turn: Turn, count: number): Promise<string> {
  const logins = await loginsOf(turn, count / PER_DEVICE)
  const { before, after } = await holdAllocations(turn.pid, logins, PER_DEVICE)
  const size = (bytes: number) => `${(bytes / MB).toFixed(1)} MB`
  const each = `${((after - before) / 1000 / count).toFixed(1)} kB each`
  return `memory for ${count} allocations, ${turn.name}: ${size(before)} to ${size(after)}, ${each}`
}

async function firstLogin(turn: Turn): Promise<Login> {
  const [login] = await loginsOf(turn, 1)
  if (!login) throw new Error('no login')
  return login
}

/** The logins of so many devices. */
async function loginsOf({ name, product }: Turn, devices: number): Promise<Login[]> {
  const logins: Login[] = []
  let link = ''
  for (let device = 0; device < devices; device += 1) {
    if (device % DEVICES_PER_BEAM === 0) link = await newBeam(product)
    const servers = await welcomed(link)
    const server = servers.find(({ username }) => username)
    const { username = '', credential: password = '' } = server ?? {}
    logins.push({ username, password, host: ADDRESSES[name], port: PORT })
  }
  return logins
}

/** The ICE servers that a new device gets. */
async function welcomed(link: string): Promise<RTCIceServer[]> {
  const client = await RawClient.connects(link)
  client.send({ type: 'auth', message: null, extra: { v: 1, caps: ['files'], name: 'Raw' } })
  const { message } = await client.next('welcome')
  client.leaves()
  return (message as { ice_servers: RTCIceServer[] }).ice_servers
}

async function newBeam({ origin }: Server): Promise<string> {
  const answer = await fetch(`${origin}/api/beams/create/`, { method: 'POST' })
  const { beam_id } = (await answer.json()) as { beam_id: string }
  return `${origin}/?beam_id=${beam_id}`
}
