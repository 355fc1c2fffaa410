/** The fixture of tests in which the server and each device are machines of their own, on networks that a test lays out. */
import { DESKTOP, PHONE } from './browsers.ts'
import { Cable, type CableTraits } from './cable.ts'
import { Device } from './device.ts'
import { type Machine, Network } from './network.ts'
import { watchPaths } from './paths.ts'
import { type Place, Server, type Settings } from './server.ts'
import { test as base } from './stage.ts'

interface Traits {
  phone?: boolean
  /** Chromium without it. */
  browser?: 'chromium' | 'firefox'
  /** Address of the page, if it is not the one at which the server is on the internet. */
  at?: string
}

export interface Fixtures {
  network: Network
  /** Starts the product on a machine. It ends with the test. */
  serve: (machine: Machine, settings: Settings) => Promise<Server>
  /** Two machines at the ends of a cable. */
  cabled: (traits: CableTraits) => Promise<readonly [Machine, Machine]>
  /** Starts a browser on a machine. */
  on: (machine: Machine, name: string, traits?: Traits) => Promise<Device>
}

export const test = base.extend<Fixtures>({
  network: async ({ browserName: _ }, use, info) => {
    // Without root they are reported as not run.
    info.skip(process.getuid?.() !== 0, 'makes networks, which only root may do: sudo make test')
    const network = await Network.make()
    await use(network)
    await network.remove()
  },
  serve: async ({ network: _ }, use) => {
    const servers: Server[] = []
    await use(async ({ address, enter }, settings) => {
      const place: Place = { listen: '0.0.0.0', host: address, port: 8080, enter }
      const server = await Server.start({ HELIOGRAPH_TLS: 'self-signed', ...settings }, place)
      servers.push(server)
      return server
    })
    for (const server of servers) await server.stop()
  },
  cabled: async ({ network }, use) => {
    const cables: Cable[] = []
    await use(async (traits) => {
      const ends = [await network.empty('10.78.0.1'), await network.empty('10.78.0.2')] as const
      cables.push(await Cable.between(...ends, traits))
      return ends
    })
    for (const cable of cables) await cable.remove()
  },
  on: async ({ network }, use) => {
    await use(async (machine, name, { phone = false, browser = 'chromium', at } = {}) => {
      const started = await (browser === 'firefox' ? network.firefox(machine) : network.browser(machine))
      const viewport = phone ? PHONE : DESKTOP
      const touch = phone && { hasTouch: true, isMobile: true }
      // Firefox's driver rejects the emulation of media features.
      const media = browser === 'chromium' && { reducedMotion: 'reduce' as const }
      const options = { viewport, ignoreHTTPSErrors: true, locale: 'en-GB', ...media }
      const context = await started.newContext({ ...options, ...touch })
      await watchPaths(context)
      const origin = at ?? `https://${network.server.address}:8443`
      return new Device(name, await context.newPage(), origin, { phone, browser })
    })
  },
})
