/** The fixture of tests in which the server and each device are machines of their own, on networks that a test lays out. */
import { DESKTOP, PHONE } from './browsers.ts'
import { Device } from './device.ts'
import { type Machine, Network } from './network.ts'
import { watchPaths } from './paths.ts'
import { type Place, Server, type Settings } from './server.ts'
import { test as base } from './stage.ts'

interface Traits {
  phone?: boolean
  /** Address of the page, if it is not the one at which the server is on the internet. */
  at?: string
}

interface Fixtures {
  network: Network
  /** Starts the product on a machine. It ends with the test. */
  serve: (machine: Machine, settings: Settings) => Promise<Server>
  /** Starts a browser on a machine. */
  on: (machine: Machine, name: string, traits?: Traits) => Promise<Device>
}

export const test = base.extend<Fixtures>({
  network: async ({ browserName: _ }, use) => {
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
  on: async ({ network }, use) => {
    await use(async (machine, name, { phone = false, at } = {}) => {
      const browser = await network.browser(machine)
      const viewport = phone ? PHONE : DESKTOP
      const touch = phone && { hasTouch: true, isMobile: true }
      const options = { viewport, ignoreHTTPSErrors: true, locale: 'en-GB', reducedMotion: 'reduce' as const }
      const context = await browser.newContext({ ...options, ...touch })
      await watchPaths(context)
      const origin = at ?? `https://${network.server.address}:8443`
      return new Device(name, await context.newPage(), origin, { phone, browser: 'chromium' })
    })
  },
})
