/** Five files at once over a slow line: what of them crosses it twice, and whether a link that is only slow is given up. */
import { expect, type Page } from '@playwright/test'
import { Folder, MB, type TestFile } from '../support/files.ts'
import { directBytes, relayedBytes, watchPaths } from '../support/paths.ts'
import { bareSpeed, type Lab, onCable, person } from './lab.ts'
import { median, type Row } from './table.ts'

/** A queue of a quarter of a second, as routers of such lines have it. */
const LINE = { roundTrip: 50, megabits: 2, queue: 64 }
const COUNT = 5
const SIZE = MB
const ARRIVES_WITHIN_MS = 120_000
const RUNS = Number(process.env.RUNS ?? 3)

interface Measured {
  readonly seconds: number
  /** Bytes that the sender sent, of each byte of the files, beyond the first time. */
  readonly twice: number
  readonly relayed: number
}

export async function measureSlowLine(): Promise<Row> {
  const ours: Measured[] = []
  const bare: number[] = []
  await Folder.with(async (folder) => {
    const files: TestFile[] = []
    for (let at = 0; at < COUNT; at += 1) files.push(await folder.file(`film-${at}.bin`, SIZE))
    for (let run = 0; run < RUNS; run += 1) {
      ours.push(await onCable(LINE, (lab) => measureOne(lab, files)))
      bare.push((COUNT * SIZE) / (await onCable(LINE, (lab) => bareSpeed(lab, COUNT * SIZE))))
      process.stderr.write(
        `slow line, run ${run + 1} of ${RUNS}: ${JSON.stringify(ours.at(-1))}, bare ${seconds(bare.at(-1))}\n`,
      )
    }
  })
  return {
    figure: 'five files at once, 2 Mbit/s: sent twice',
    product: seconds(median(ours.map(({ seconds }) => seconds))),
    reference: seconds(median(bare)),
    value: Math.max(...ours.map(({ twice }) => twice)),
    target: { atMost: 0.02 },
    notes: [
      'all files are whole and no link was rebuilt; the times are those of all files, and of a bare channel',
      `of ${COUNT * SIZE} bytes by the server, in each run: ${ours.map(({ relayed }) => relayed).join(', ')}`,
    ],
  }
}

async function measureOne(lab: Lab, files: readonly TestFile[]): Promise<Measured> {
  const [ada, bob] = [await person(lab, 'Ada', lab.one), await person(lab, 'Bob', lab.other)]
  await watchPaths(ada.context)
  const rebuilt = countRebuilt(ada.page)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(...files)
  const card = bob.page.getByRole('article')
  const began = performance.now()
  await card.getByRole('button', { name: 'Receive all' }).click()
  await expect(card.getByText('Complete')).toBeVisible({ timeout: ARRIVES_WITHIN_MS })
  const seconds = (performance.now() - began) / 1_000
  const relayed = await relayedBytes(ada.page)
  const sent = relayed + (await directBytes(ada.page))
  await card.getByRole('button', { name: `Show all ${COUNT}` }).click()
  for (const file of files)
    if ((await bob.savedSha256(file)) !== file.sha256) throw new Error(`${file.name} arrived changed`)
  if (rebuilt() !== 0) throw new Error(`${rebuilt()} links were rebuilt`)
  return { seconds, twice: sent / (COUNT * SIZE) - 1, relayed }
}

/** Each connection has a session of its own in the signals that set it up, and a place in its bundle (L6). */
function countRebuilt(page: Page): () => number {
  const sessions = new Set<string>()
  const places = new Set<number>()
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      const said = String(payload).startsWith('{') ? JSON.parse(String(payload)) : null
      if (said?.type !== 'signal') return
      const { session, index = 0 } = said.message
      if (!session) return
      sessions.add(session)
      places.add(index)
    })
  })
  return () => {
    if (places.size === 0) throw new Error('no signal was seen')
    return sessions.size - places.size
  }
}

function seconds(value = Number.NaN): string {
  return `${value.toFixed(1)} s`
}
