/** Every way of a file, between the browsers that have it, into every place where received bytes go. */
import { expect } from '@playwright/test'
import { Device, LARGE_FILE_MS } from '../support/device.ts'
import { MB, type TestFile } from '../support/files.ts'
import { pickedSha256, pretendPickers } from '../support/folders.ts'
import { cutDirectPaths, usesOnlyTurn } from '../support/paths.ts'
import { reachesInList, seesInList } from '../support/sealing.ts'
import type { Server } from '../support/server.ts'
import { type CallDevice, PLAIN_HOST } from '../support/stage.ts'
import { test as base } from '../support/turn-here.ts'
import { WebKitDevice } from '../support/webkit.ts'
import { Wire } from '../support/wire.ts'

const SIZE = 6 * MB + 5
/** Bytes per second of a wire on which a test meets a file in the middle of its way. */
const SLOW = 0.4 * MB

const WAYS = {
  direct: /^Direct( ×\d+)?$/,
  TURN: /^via TURN( ×\d+)?$/,
  server: /^via server$/,
  stored: /^Stored$/,
}
type Way = keyof typeof WAYS

type Browser = 'chromium' | 'firefox' | 'webkit'
const PAIRS: readonly (readonly [Browser, Browser])[] = [
  ['chromium', 'chromium'],
  ['chromium', 'firefox'],
  ['firefox', 'chromium'],
  ['webkit', 'chromium'],
  ['chromium', 'webkit'],
]

/** Where the bytes go: into a file that the person picks, onto the browser's own disk, or into memory. */
type Sink = 'picker' | 'disk' | 'memory'
const SINKS: readonly Sink[] = ['picker', 'disk', 'memory']

/** The sinks of each browser. Only Chromium has a picker of files to write. */
const SINKS_OF: Readonly<Record<Browser, readonly Sink[]>> = {
  chromium: ['picker', 'disk', 'memory'],
  firefox: ['disk', 'memory'],
  // WebKitGTK gives pages no disk: it has neither `FileSystemFileHandle` nor `navigator.storage.getDirectory`.
  webkit: ['memory'],
}

interface Row {
  readonly way: Way
  readonly from: Browser
  readonly to: Browser
  readonly sink: Sink
}

/** Without WebRTC there are no data channels: neither from device to device nor through TURN. */
const needsWebRtc = (way: Way) => way === 'direct' || way === 'TURN'

const ALL: readonly Row[] = (Object.keys(WAYS) as Way[])
  .flatMap((way) => PAIRS.flatMap(([from, to]) => SINKS.map((sink): Row => ({ way, from, to, sink }))))
  .filter(({ way, from, to }) => !needsWebRtc(way) || (from !== 'webkit' && to !== 'webkit'))
  .filter(({ to, sink }) => SINKS_OF[to].includes(sink))

/** Every way, every pair of browsers and every sink at least once. */
const CHOSEN: readonly Row[] = [
  { way: 'direct', from: 'chromium', to: 'firefox', sink: 'disk' },
  { way: 'TURN', from: 'firefox', to: 'chromium', sink: 'picker' },
  { way: 'server', from: 'webkit', to: 'chromium', sink: 'memory' },
  { way: 'server', from: 'chromium', to: 'webkit', sink: 'memory' },
  { way: 'stored', from: 'chromium', to: 'chromium', sink: 'disk' },
]

/** What a person does and sees at any of the browsers. */
type Person = Pick<
  Device,
  | 'opens'
  | 'takes'
  | 'pauses'
  | 'resumes'
  | 'reaches'
  | 'reads'
  | 'seesWayInDetails'
  | 'savedSha256'
  | 'leaves'
> & { sharesFiles(file: TestFile): Promise<void> }

const test = base.extend<{ wire: Wire; webkit: () => Promise<WebKitDevice> }>({
  /** Between the sender and the server. */
  wire: async ({ server }, use) => {
    const wire = await Wire.to(server.origin)
    await use(wire)
    await wire.close()
  },
  webkit: async ({ browserName: _ }, use) => {
    const open: WebKitDevice[] = []
    await use(async () => {
      const device = await WebKitDevice.start()
      open.push(device)
      return device
    })
    for (const device of open) await device.leaves()
  },
})

for (const row of CHOSEN) moves(row, '', [])
for (const row of ALL) moves(row, 'of all: ', ['@long'])

function moves(row: Row, before: string, tag: string[]): void {
  const { way, from, to, sink } = row
  test(`${before}${way}, from ${from} to ${to}, into ${sink}`, { tag }, async ({
    device,
    webkit,
    folder,
    server,
    wire,
  }) => {
    test.setTimeout(2 * LARGE_FILE_MS)
    const film = await folder.file('film.bin', SIZE)
    const ada = from === 'webkit' ? await webkit() : await device('Ada', { own: from })
    const bob = to === 'webkit' ? await webkit() : await receiver(device, to, sink)
    await meet(way, ada, bob, server, wire)

    if (way === 'stored') await begins(ada, bob, film, sink, wire)
    else {
      await ada.sharesFiles(film)
      await takes(bob, film, sink)
    }
    // What the server has too is not only in this tab, wherever the tab has it.
    const isOnlyHere = sink === 'memory' && way !== 'stored'
    await bob.reads(film, isOnlyHere ? 'Complete, but only in this tab' : 'Complete')
    await bob.seesWayInDetails(film, WAYS[way])
    expect(await sha256At(bob, film, sink)).toBe(film.sha256)
  })
}

async function receiver(device: CallDevice, own: 'chromium' | 'firefox', sink: Sink): Promise<Device> {
  const bob = await device('Bob', { own, diskless: sink === 'memory' })
  if (sink === 'picker') await pretendPickers(bob)
  return bob
}

async function takes(bob: Person, film: TestFile, sink: Sink): Promise<void> {
  if (sink === 'picker' && bob instanceof Device) await bob.takesInto(film)
  else await bob.takes(film)
}

async function sha256At(bob: Person, film: TestFile, sink: Sink): Promise<string> {
  return sink === 'picker' && bob instanceof Device
    ? await pickedSha256(bob, film.name)
    : await bob.savedSha256(film)
}

/** The two devices come into one beam, with only this way between them. */
async function meet(way: Way, ada: Person, bob: Person, server: Server, wire: Wire): Promise<void> {
  const origins = new Map([
    [ada, wire.origin],
    [bob, bob instanceof Device ? bob.origin : server.origin],
  ])
  const [first, second] = inTurn(ada, bob)
  if (way === 'TURN') for (const one of [ada, bob]) if (one instanceof Device) await usesOnlyTurn(one)
  await first.opens(origins.get(first) ?? '')
  if (!needsWebRtc(way)) await cutDirectPaths(first.page)
  const link = new URL(await first.scansOwnQr())
  if (way === 'stored') await keepsBeam(first)
  await second.opens(`${origins.get(second)}${link.pathname}${link.search}${link.hash}`)
  await seesInList(first, 2)
  await wayIsOpen(way, [ada, bob])
}

/** Waits for a way that opens later than others: a file that begins before may be through by another one. */
async function wayIsOpen(way: Way, all: readonly Person[]): Promise<void> {
  if (!needsWebRtc(way)) return
  for (const one of all)
    if (one instanceof Device) await reachesInList(one, way === 'TURN' ? 'via TURN' : 'Direct')
}

/**
 * Returns who begins the beam, and the other one. A page without https begins, because it stays out of a sealed beam. Else
 * the code on the screen is read by Playwright, which does not drive WebKit here.
 */
function inTurn(ada: Person, bob: Person): [Device, Person] {
  const isOnPlainHttp = bob instanceof Device && bob.origin.includes(PLAIN_HOST)
  return ada instanceof Device && !isOnPlainHttp ? [ada, bob] : [bob as Device, ada]
}

/** Lets the server store what is shared, which is offered while no other device is here. */
async function keepsBeam(device: Device): Promise<void> {
  await device.sharesText('Door code 4417')
  await device.page.getByRole('button', { name: 'Keep it for 1 h' }).click()
}

/** A part comes from the sender, and the rest from the server's copy once the sender is gone. */
async function begins(ada: Person, bob: Person, film: TestFile, sink: Sink, wire: Wire): Promise<void> {
  // The copy must not be complete before something has come: it would be saved straight from the server.
  wire.slowsTo(SLOW)
  await ada.sharesFiles(film)
  await takes(bob, film, sink)
  await bob.reaches(film, 2)
  await bob.pauses(film)
  await bob.reads(film, 'Paused')
  wire.slowsTo(Number.POSITIVE_INFINITY)
  await ada.reads(film, 'Stored')
  await ada.leaves()
  await bob.resumes(film)
}
