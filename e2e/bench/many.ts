/** Ten thousand small files from browser to browser, compared with one file of as many bytes in the same run. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Device } from '../support/device.ts'
import { Folder, MB } from '../support/files.ts'
import type { Server } from '../support/server.ts'
import { recordMainThread } from './main-thread.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM, withTwoBrowsers } from './two-browsers.ts'

const COUNT = 10_000
const SIZE = 1_000
const RUNS = Number(process.env.RUNS ?? 5)

export async function measureMany(server: Server): Promise<Row> {
  return await Folder.with(async (folder) => {
    const many = await manyFiles(folder)
    const one = [(await folder.file('one.bin', COUNT * SIZE)).path]
    const ours: number[] = []
    const theirs: number[] = []
    for (let run = 0; run < RUNS; run += 1) {
      ours.push(await transfer(server, many))
      theirs.push(await transfer(server, one))
      const [many_, one_] = [seconds(ours.at(-1)), seconds(theirs.at(-1))]
      process.stderr.write(`many, run ${run + 1} of ${RUNS}: ${many_}, one file ${one_}\n`)
    }
    // Apart from the others, because a recorded page is a slower one.
    const tasks = await longestTasks(server, many)
    return {
      figure: `${COUNT} files of 1 kB beside one of ${(COUNT * SIZE) / MB} MB`,
      product: seconds(median(ours)),
      reference: seconds(median(theirs)),
      value: median(ours) / median(theirs),
      target: { atMost: 3 },
      notes: [
        `longest task while they are chosen and sent: ${tasks.sender.toFixed(0)} ms`,
        `longest task while they come and their list is opened: ${tasks.receiver.toFixed(0)} ms`,
      ],
    }
  })
}

function seconds(value = Number.NaN): string {
  return `${value.toFixed(2)} s`
}

async function manyFiles(folder: Folder): Promise<readonly string[]> {
  const path = join(folder.path, 'many')
  await mkdir(path)
  const paths = Array.from({ length: COUNT }, (_, at) => join(path, `${at}.bin`))
  for (const [at, file] of paths.entries()) await writeFile(file, Buffer.alloc(SIZE, `${at} `))
  return paths
}

/** Returns the seconds from the choice of files in one browser until the other offers all of them to be saved. */
async function transfer(server: Server, paths: readonly string[]): Promise<number> {
  return await withTwoBrowsers(async (one, two) => {
    const ada = new Device('Ada', one.page, server.origin, DESKTOP_CHROMIUM)
    const bob = new Device('Bob', two.page, server.origin, DESKTOP_CHROMIUM)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    const chosen = one.page.evaluate(whenChosen)
    const received = two.page.evaluate(receiveAtOnce)
    await ada.picker().setInputFiles([...paths])
    return ((await received) - (await chosen)) / 1000
  })
}

/** Returns when files are chosen in the page, in milliseconds since the Unix epoch, before the page looks at them. */
function whenChosen(): Promise<number> {
  return new Promise((resolve) => {
    addEventListener('change', () => resolve(Date.now()), { capture: true, once: true })
  })
}

/** Taps Receive as soon as it is there, and returns when all of it can be saved, by the same clock. */
async function receiveAtOnce(): Promise<number> {
  const seen = (...texts: string[]) =>
    new Promise<HTMLElement>((resolve) => {
      const observer = new MutationObserver(() => look())
      const look = () => {
        const all = [...document.querySelectorAll<HTMLElement>('article a, article button')]
        const found = all.find(({ textContent }) => texts.includes(textContent))
        if (!found) return
        observer.disconnect()
        resolve(found)
      }
      observer.observe(document.body, { subtree: true, childList: true })
      look()
    })
  const receive = await seen('Receive')
  receive.click()
  await seen('Save all', 'Save')
  return Date.now()
}

/** The longest task of each page, in milliseconds. */
async function longestTasks(
  server: Server,
  paths: readonly string[],
): Promise<{ sender: number; receiver: number }> {
  return await withTwoBrowsers(async (one, two) => {
    const ada = new Device('Ada', one.page, server.origin, DESKTOP_CHROMIUM)
    const bob = new Device('Bob', two.page, server.origin, DESKTOP_CHROMIUM)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    const receives = async () => {
      await bob.page.getByRole('button', { name: 'Receive', exact: true }).click()
      await bob.page.getByRole('button', { name: 'Save all' }).waitFor()
      await bob.page.getByRole('button', { name: /^Show all/ }).click()
      await bob.page.getByRole('article').getByRole('list').hover()
      for (let turn = 0; turn < 20; turn += 1) await bob.page.mouse.wheel(0, 5_000)
    }
    let receiver = 0
    const sender = await recordMainThread(ada.page, async () => {
      await ada.picker().setInputFiles([...paths])
      receiver = (await recordMainThread(bob.page, receives)).longestTask
    })
    return { sender: sender.longestTask, receiver }
  })
}
