// @vitest-environment jsdom
import { act, cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Device, DeviceId, ItemId } from '../../protocol/bindings'
import { fileItemMessage, liveItem } from '../../protocol/item'
import type { LinkReport, LinksReport } from '../../protocol/link-report'
import { DIRECT, type Way } from '../../protocol/way'
import { reduceFlows } from '../../stores/flows'
import { createStores, type Stores } from '../../stores/stores'
import { reduceTransfers } from '../../stores/transfers'
import { type Actions, AppContext } from '../actions'
import { DetailsDialog } from './details-dialog'

const FILE = 'film' as ItemId
const ADA = 'ada' as DeviceId
const ME = 'me' as DeviceId
const device: Device = { device_id: ADA, name: 'Phone', caps: ['files', 'rtc'] }

const link: LinkReport = {
  key: 'a',
  kind: 'srflx',
  protocol: 'udp',
  roundTrip: 45.6,
  wire: { sent: 0, received: 2_200_000 },
  payload: { sent: 0, received: 2_000_000 },
}

let stores: Stores
let reports: LinksReport[]
let asked: number
const copyReport = vi.fn(async (_text: string) => true)
const hashFile = vi.fn<Actions['hashFile']>()

beforeEach(() => {
  vi.clearAllMocks()
  vi.useFakeTimers()
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = () => {}
  stores = createStores()
  reports = []
  asked = 0
  const { message, extra } = fileItemMessage({ name: 'film.mp4', size: 9_000_000, type: '' })
  stores.items.setState({ items: [liveItem({ id: FILE, message, extra, seq: 1, from: ADA, at: 0 }, null)] })
  stores.devices.setState({ me: ME, devices: [device], names: { [ADA]: 'Phone' } })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** The file comes at a megabyte a second for so many seconds. */
function comes(seconds: number, way: Way = DIRECT) {
  for (let at = 250; at <= seconds * 1_000; at += 250) {
    const event = { type: 'moved', card: FILE, file: FILE, device: ADA, bytes: 1_000 * at, way } as const
    stores.flows.setState((state) => reduceFlows(state, { ...event, twice: 16_384, now: at }), true)
  }
}

/** Opens the details. Each look at the links finds the next of `reports`, and none after the last. */
async function opens(onClose = () => {}) {
  const reportLinks = async () => reports[asked++] ?? { at: 0, links: [] }
  const actions = { reportLinks, copyReport, hashFile } as unknown as Actions
  const shown = render(
    <AppContext value={{ stores, actions }}>
      <DetailsDialog card={FILE} onClose={onClose} />
    </AppContext>,
  )
  await act(() => vi.advanceTimersByTimeAsync(0))
  return shown
}

const later = () => act(() => vi.advanceTimersByTimeAsync(1_000))
const fact = (name: string) => screen.getByText(name).nextElementSibling?.textContent
const cells = () =>
  within(screen.getByRole('table'))
    .getAllByRole('cell')
    .map(({ textContent }) => textContent)

it('the details name the device, and tell the speeds, what went twice and the way', async () => {
  comes(8, { direct: 8, turn: 0, server: false })
  await opens()
  screen.getByRole('heading', { name: 'From Phone' })
  expect(fact('Average')).toBe('1.0 MB/s')
  expect(fact('Top speed')).toBe('1.0 MB/s')
  expect(fact('Sent twice')).toBe('16 kB')
  expect(fact('Way')).toBe('Direct ×8')
})

it('a reader hears the plot as a sentence', async () => {
  comes(8)
  await opens()
  screen.getByRole('img', { name: 'Speed over 0:08 minutes: on average 1.0 MB/s, at most 1.0 MB/s' })
})

it('each connection is told, with its speed from the second look on', async () => {
  comes(8)
  const more = { ...link, payload: { sent: 0, received: 2_500_000 } }
  reports = [
    { at: 0, links: [link] },
    { at: 1_000, links: [more] },
  ]
  await opens()
  screen.getByRole('rowheader', { name: 'server-reflexive UDP' })
  expect(cells()).toEqual(['–', '46 ms', '2.0 MB', '10 %'])
  await later()
  expect(cells()[0]).toBe('500 kB/s')
})

it('what a browser does not tell is not told to be nothing', async () => {
  comes(8)
  const silent = { ...link, kind: null, protocol: null, roundTrip: null, wire: null, payload: null }
  reports = [{ at: 0, links: [silent] }]
  await opens()
  expect(cells()).toEqual(['not told', 'not told', 'not told'])
})

it('links are asked for once a second, and only while the details are open', async () => {
  comes(8)
  const { unmount } = await opens()
  for (let look = 0; look < 3; look += 1) await later()
  expect(asked).toBe(4)
  unmount()
  await later()
  expect(asked).toBe(4)
})

it('without a connection the details say so', async () => {
  comes(8)
  await opens()
  screen.getByText('There is no connection to this device now.')
})

it('a transfer of a moment has no plot and no speed', async () => {
  comes(0.25)
  await opens()
  screen.getByText('Too short to measure')
  expect([fact('Average'), fact('Top speed')]).toEqual(['–', '–'])
})

it('the report of a fault is copied, and the button says so', async () => {
  comes(8)
  reports = [{ at: 0, links: [link] }]
  await opens()
  screen.getByRole('button', { name: 'Copy for a bug report' }).click()
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(JSON.parse(copyReport.mock.calls[0]?.[0] ?? '')).toMatchObject({
    role: 'receiver',
    links: [{ kind: 'srflx' }],
  })
  screen.getByRole('button', { name: 'Copied' })
})

it('the details close with their card', async () => {
  comes(8)
  const onClose = vi.fn()
  await opens(onClose)
  act(() => stores.items.setState({ items: [] }))
  expect(onClose).toHaveBeenCalled()
})

/** The whole file is here, and its details are open. */
async function isHere() {
  comes(8)
  const state = { status: 'done', url: 'blob:a', way: DIRECT, isKept: true } as const
  const event = { type: 'receiving', id: FILE, state } as const
  stores.transfers.setState((transfers) => reduceTransfers(transfers, event), true)
  await opens()
}

const checksum = () => within(screen.getByRole('region', { name: 'Checksum' }))
const presses = async (name: string) => {
  checksum().getByRole('button', { name }).click()
  await act(() => vi.advanceTimersByTimeAsync(0))
}

it('the checksum of a whole file is computed when it is asked for, and copied', async () => {
  hashFile.mockResolvedValue('ab01')
  await isHere()
  expect(hashFile).not.toHaveBeenCalled()
  await presses('Compute SHA-256')
  expect(hashFile.mock.lastCall?.[0]).toBe('blob:a')
  checksum().getByText('SHA-256 ab01')
  await presses('Copy')
  expect(copyReport).toHaveBeenLastCalledWith('ab01')
  checksum().getByRole('button', { name: 'Copied' })
})

it('a checksum under way tells how far it is, and ends with a press or with the details', async () => {
  hashFile.mockReturnValue(new Promise(() => {}))
  await isHere()
  await presses('Compute SHA-256')
  act(() => hashFile.mock.lastCall?.[1](4_500_000))
  expect(checksum().getByRole<HTMLProgressElement>('progressbar').value).toBe(0.5)
  await presses('Cancel')
  expect(hashFile.mock.lastCall?.[2].aborted).toBe(true)
  await presses('Compute SHA-256')
  cleanup()
  expect(hashFile.mock.lastCall?.[2].aborted).toBe(true)
})

it('a file that cannot be read has no checksum, and can be tried again', async () => {
  hashFile.mockRejectedValue(new Error())
  await isHere()
  await presses('Compute SHA-256')
  checksum().getByText('The file could not be read.')
  checksum().getByRole('button', { name: 'Compute SHA-256' })
})

it('a file that is not here whole has no checksum', async () => {
  comes(8)
  await opens()
  expect(screen.queryByRole('region', { name: 'Checksum' })).toBeNull()
})
