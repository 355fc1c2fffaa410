/** Bytes of sealed files that a hostile server swaps, cuts or takes from elsewhere are not taken for the file (E7). */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { MB, type TestFile } from '../support/files.ts'
import { Hostile } from '../support/hostile.ts'
import { cutDirectPaths } from '../support/paths.ts'
import { encrypted } from '../support/sealing.ts'
import type { Server } from '../support/server.ts'
import { type CallDevice, test } from '../support/stage.ts'

/** Bytes before the first chunk of a sealed file, and of a sealed chunk (E7). */
const HEADER_BYTES = 56
const SEALED_CHUNK_BYTES = 16_400
/** Bytes before the chunks in a frame of the relay: device, kind, transfer and the place of the first (R1, F4). */
const FRAME_BYTES = 16 + 1 + 16 + 4
const CHUNK_FRAME = 2
const SIZE = 2 * MB

const chunkAt = (chunk: number) => HEADER_BYTES + chunk * SEALED_CHUNK_BYTES

test.describe('a stored copy', () => {
  /** Shares a file in a kept beam. Returns the path of the copy that the server stores. */
  async function stores(device: Device, file: TestFile, server: Server): Promise<string> {
    const folder = join(server.blobs, 'uploads')
    const blobs = () => readdir(folder).catch((): string[] => [])
    const before = await blobs()
    await device.sharesFiles(file)
    await device.reads(file, 'Stored')
    const made = (await blobs()).filter((one) => !before.includes(one))
    expect(made).toHaveLength(1)
    return join(folder, made[0] ?? '')
  }

  async function keeps(device: Device): Promise<string> {
    const link = await device.startsBeam()
    await device.sharesText('marmalade')
    await device.page.getByRole('button', { name: 'Keep it for 1 h' }).click()
    return link
  }

  const NAMES = ['another file', 'of a stranger', 'cut short', 'one foreign chunk', 'two chunks changed']

  /** What the server makes of the copies, each as its name says. */
  function spoilt(whole: readonly Buffer[], strange: Buffer): readonly Buffer[] {
    const [, other, cut, foreign, changed] = whole.map((copy) => Buffer.from(copy)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ]
    other.copy(foreign, chunkAt(1), chunkAt(1), chunkAt(2))
    const moved = Buffer.from(changed.subarray(chunkAt(1), chunkAt(2)))
    changed.copy(changed, chunkAt(1), chunkAt(2), chunkAt(3))
    moved.copy(changed, chunkAt(2))
    return [other, strange, cut.subarray(0, chunkAt(3)), foreign, changed]
  }

  test('of another file, of a stranger, cut short, or with other chunks is not taken for the file @everywhere', async ({
    device,
    folder,
    server,
  }) => {
    test.setTimeout(240_000)
    const laptop = await device('laptop')
    const link = await keeps(laptop)
    const files = await Promise.all(NAMES.map((name) => folder.file(`${name}.bin`, SIZE)))
    const cutShort = files[2] as TestFile
    const paths: string[] = []
    for (const file of files) paths.push(await stores(laptop, file, server))
    await laptop.hasSentAll()
    await laptop.leaves()
    const stranger = await device('stranger')
    await keeps(stranger)
    const strange = await stores(stranger, await folder.file('strange.bin', SIZE), server)

    const whole = await Promise.all(paths.map((path) => readFile(path)))
    const puts = (copies: readonly Buffer[]) =>
      Promise.all(paths.map((path, at) => writeFile(path, copies[at] ?? '')))
    await puts(spoilt(whole, await readFile(strange)))

    const phone = await device('phone', { phone: true })
    await phone.opens(link)
    for (const file of files)
      await phone.file(file).getByRole('button', { name: 'Save', exact: true }).click()
    for (const file of files.filter((one) => one !== cutShort))
      await expect(phone.file(file).getByText('no longer has this file')).toBeVisible({ timeout: 45_000 })
    await expect(phone.file(cutShort).getByText('Waiting to start')).toBeVisible()
    await expect(phone.page.getByText('Complete')).toHaveCount(0)

    // The control: where the server gives the copies as they are, all is well. A browser keeps what it was given before.
    await puts(whole)
    const late = await device('late', { phone: true })
    await late.opens(link)
    for (const file of files) expect(await late.savedSha256(file)).toBe(file.sha256)
  })
})

test.describe('over the relay', () => {
  /** A laptop and another device, between which everything goes through a server that may change it. */
  async function throughHostile(device: CallDevice) {
    const laptop = await device('laptop')
    const other = await device('other')
    const server = await Hostile.before(other.page)
    const link = await laptop.startsBeam()
    await cutDirectPaths(laptop.page)
    await other.opens(link)
    await encrypted(laptop, 2)
    return { laptop, other, server }
  }

  /** The chunks of a frame, each with its place; none of a frame that has no chunks. */
  function chunksOf(frame: Buffer): readonly (readonly [place: number, chunk: Buffer])[] {
    if (frame[16] !== CHUNK_FRAME) return []
    const first = frame.readUInt32BE(FRAME_BYTES - 4)
    const count = Math.ceil((frame.length - FRAME_BYTES) / SEALED_CHUNK_BYTES)
    return Array.from({ length: count }, (_, at) => {
      const start = FRAME_BYTES + at * SEALED_CHUNK_BYTES
      return [first + at, frame.subarray(start, start + SEALED_CHUNK_BYTES)] as const
    })
  }

  test('chunks of one file are not taken for those of another @everywhere', async ({ device, folder }) => {
    test.setTimeout(120_000)
    const { laptop, other, server } = await throughHostile(device)
    const [one, two] = [await folder.file('one.bin', SIZE), await folder.file('two.bin', SIZE)]
    await laptop.sharesFiles(one)
    const chunks = new Map<number, Buffer>()
    server.frameToPage = (frame) => {
      for (const [place, chunk] of chunksOf(frame)) chunks.set(place, chunk)
      return frame
    }
    await other.takes(one)
    expect(await other.savedSha256(one)).toBe(one.sha256)
    expect(chunks.size).toBe(Math.floor(SIZE / 16_384) + 1)

    let swapped = 0
    server.frameToPage = (frame) => {
      const places = chunksOf(frame).map(([place]) => place)
      if (places.length === 0) return frame
      swapped += 1
      const others = places.map((place) => chunks.get(place) ?? Buffer.alloc(0))
      return Buffer.concat([frame.subarray(0, FRAME_BYTES), ...others])
    }
    await laptop.sharesFiles(two)
    await other.takes(two)
    const refused =
      'What arrived of this file is damaged. Try again, or share it again from the other device.'
    await other.reads(two, refused, 60_000)
    expect(swapped).toBeGreaterThan(0)
  })

  test('a file whose end is cut off is not taken for the whole @everywhere', async ({ device, folder }) => {
    test.setTimeout(120_000)
    const { laptop, other, server } = await throughHostile(device)
    const film = await folder.file('film.bin', SIZE)
    const last = Math.floor(SIZE / 16_384)
    let cut = 0
    server.frameToPage = (frame) => {
      const places = chunksOf(frame).map(([place]) => place)
      if (!places.includes(last)) return frame
      cut += 1
      // All but the last chunk arrive.
      return frame.subarray(0, FRAME_BYTES + (places.length - 1) * SEALED_CHUNK_BYTES)
    }
    await laptop.sharesFiles(film)
    await other.takes(film)
    await expect.poll(() => cut, { timeout: 60_000 }).toBeGreaterThan(1)
    await other.reads(film, '99 %')
    server.frameToPage = (frame) => frame
    expect(await other.savedSha256(film)).toBe(film.sha256)
  })
})
