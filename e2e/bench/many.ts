/** Ten thousand small files from browser to browser, compared with one file of as many bytes in the same run. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
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
      ours.push(await transfer(server, many, secondsToReceive))
      theirs.push(await transfer(server, one, secondsToReceive))
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

/** Shares files from one browser, and measures the other once it may receive them. */
async function transfer<T>(
  server: Server,
  paths: readonly string[],
  measure: (page: Page) => Promise<T>,
): Promise<T> {
  return await withTwoBrowsers(async (one, two) => {
    const ada = new Device('Ada', one.page, server.origin, DESKTOP_CHROMIUM)
    const bob = new Device('Bob', two.page, server.origin, DESKTOP_CHROMIUM)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    await ada.picker().setInputFiles([...paths])
    await bob.page.getByRole('button', { name: 'Receive', exact: true }).waitFor()
    return await measure(bob.page)
  })
}

/** Taps Receive, and returns the seconds until the page offers all of it, measured within the page. */
async function secondsToReceive(page: Page): Promise<number> {
  return await page.evaluate(async () => {
    const find = (text: string) =>
      [...document.querySelectorAll<HTMLElement>('article a, article button')].find(
        (element) => element.textContent === text,
      )
    const started = performance.now()
    find('Receive')?.click()
    await new Promise<void>((resolve) => {
      const look = () => (find('Save all') ?? find('Save')) && resolve()
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true })
      look()
    })
    return (performance.now() - started) / 1000
  })
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
