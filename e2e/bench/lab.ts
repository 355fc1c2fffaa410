/** The laboratory of the network's figures: two machines at the ends of a cable, and the product between them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { Cable, type CableTraits } from '../support/cable.ts'
import { Device } from '../support/device.ts'
import { MB, type TestFile } from '../support/files.ts'
import { type Machine, Network } from '../support/network.ts'
import { Server, type Settings } from '../support/server.ts'
import { bareChannelSpeed, type Filling } from './bare-channel.ts'
import { DESKTOP_CHROMIUM, type OpenBrowser } from './two-browsers.ts'

/** The server is at the first machine, so the second reaches it over the cable too. */
export interface Lab {
  readonly one: Machine
  readonly other: Machine
  readonly cable: Cable
  /** Where the product is. */
  readonly origin: string
  /** The file of the certificate by which the product proves itself. */
  readonly certificate: string
  /** Opens a browser with a profile on the disk, which large files need. Both go with the laboratory. */
  readonly browser: (machine: Machine) => Promise<OpenBrowser>
}

/** @param settings those of the server */
export async function onCable<T>(
  traits: CableTraits,
  use: (lab: Lab) => Promise<T>,
  settings: Settings = {},
): Promise<T> {
  const network = await Network.make()
  const profiles: string[] = []
  try {
    const [one, other] = [await network.empty('10.78.0.1'), await network.empty('10.78.0.2')]
    const cable = await Cable.between(one, other, traits)
    const place = { listen: '0.0.0.0', host: one.address, port: 8080, enter: one.enter }
    const server = await Server.start({ HELIOGRAPH_TLS: 'self-signed', ...settings }, place)
    const browser = async (machine: Machine) => {
      const profile = await mkdtemp(join(tmpdir(), 'heliograph-bench-'))
      profiles.push(profile)
      return { page: await network.page(machine, profile), profile }
    }
    try {
      const certificate = join(server.data, 'tls', 'self-signed.pem')
      return await use({ one, other, cable, browser, certificate, origin: `https://${one.address}:8443` })
    } finally {
      await server.stop()
      await cable.remove()
    }
  } finally {
    await network.remove()
    for (const folder of profiles) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A person at a fresh browser on a machine, which has not opened the product yet. */
export async function person(lab: Lab, name: string, machine: Machine): Promise<Device> {
  return new Device(name, (await lab.browser(machine)).page, lab.origin, DESKTOP_CHROMIUM)
}

/** Two people in one beam, of whom the first has shared files. */
export async function sharing(lab: Lab, ...files: TestFile[]): Promise<{ ada: Device; bob: Device }> {
  const [ada, bob] = [await person(lab, 'Ada', lab.one), await person(lab, 'Bob', lab.other)]
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  for (const file of files) await ada.sharesFiles(file)
  for (const { name } of files) await bob.card(name).getByRole('button', { name: 'Receive' }).waitFor()
  return { ada, bob }
}

/** How many bytes of a file have come by now. */
export async function received(bob: Device, film: TestFile): Promise<{ at: number; bytes: number }> {
  const percent = await bob.progress(film)
  return { at: performance.now(), bytes: (percent / 100) * film.size }
}

/** Bytes a second of a bare data channel. */
export async function bareSpeed(lab: Lab, bytes: number, filling?: Filling): Promise<number> {
  const pages: Page[] = []
  for (const machine of [lab.one, lab.other]) {
    const { page } = await lab.browser(machine)
    await page.goto(`http://${lab.one.address}:8080/healthz`)
    pages.push(page)
  }
  const [from, to] = pages as [Page, Page]
  return await bareChannelSpeed(from, to, bytes, {}, filling)
}

export function speed(bytesPerSecond = 0): string {
  return `${(bytesPerSecond / MB).toFixed(2)} MB/s`
}
