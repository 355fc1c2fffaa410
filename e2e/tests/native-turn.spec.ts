/** A terminal and a page that do not reach each other meet over TURN. */
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { Coturn } from '../support/coturn.ts'
import type { Device } from '../support/device.ts'
import { type Folder, MB, sha256Of } from '../support/files.ts'
import { test as elsewhere } from '../support/machines.ts'
import { relayedBytes, usesOnlyTurn } from '../support/paths.ts'
import { type Place, Terminal } from '../support/terminal.ts'
import { test as here } from '../support/turn-here.ts'

/** Those with coturn, and a third kind of pair, are in the longer form. */
const LONG = { tag: '@long' }
const OVER_TURN = /"state":"done".*"via":"turn"/

/** A page and a terminal give each other a file. `runs` starts the terminal. */
async function giveEachOther(
  ada: Device,
  folder: Folder,
  runs: (...words: readonly string[]) => Terminal,
): Promise<void> {
  const mine = await folder.file('mine.bin', 5 * MB)
  await ada.sharesFiles(mine)
  await expect(ada.file(mine)).toBeVisible()
  const into = join(folder.path, 'received')
  const received = await runs('receive', '--json', '--wait', '--into', into).ends()
  expect(received.code, received.out).toBe(0)
  expect(received.out).toMatch(OVER_TURN)
  expect(await sha256Of(join(into, mine.name))).toBe(mine.sha256)

  const theirs = await folder.file('theirs.bin', 5 * MB)
  const send = runs('send', '--json', '--once', theirs.path)
  await ada.takes(theirs)
  expect(await ada.savedSha256(theirs)).toBe(theirs.sha256)
  const sent = await send.ends()
  expect(sent.code, sent.out).toBe(0)
  expect(sent.out).toMatch(OVER_TURN)
  expect(await relayedBytes(ada.page)).toBe(0)
}

for (const name of ['the TURN server inside', 'coturn'] as const) {
  here(
    `a terminal and a page that uses TURN alone give each other files over ${name}`,
    name === 'coturn' ? LONG : {},
    async ({ device, folder, server, paired }) => {
      const { origin } = name === 'coturn' ? paired : server
      const ada = await device('Ada')
      await usesOnlyTurn(ada)
      const copy = Terminal.runs(['copy', '--server', origin, '--text', 'hello'])
      const link = await copy.link()
      await ada.opens(link)
      await ada.sees('hello')
      expect((await copy.ends()).code).toBe(0)
      await giveEachOther(ada, folder, (...words) =>
        Terminal.runs([...words, '--address', '127.0.0.1'], link),
      )
    },
  )
}

/** TURN refuses addresses of documentation, and the networks here have those. */
const TURN = { HELIOGRAPH_TURN: 'embedded', HELIOGRAPH_TURN_ALLOW_PEERS: '203.0.113.0/24' }

elsewhere(
  'a terminal behind a symmetric NAT is met over TURN',
  LONG,
  async ({ network, serve, on, folder }) => {
    await serve(network.server, TURN)
    const ada = await on(await (await network.home('preserving')).machine(), 'Ada')
    const { enter } = await (await network.home('symmetric')).machine()
    // The certificate is the server's own, which a terminal does not trust.
    const link = (await ada.startsBeam()).replace(/^https:.+8443/, `http://${network.server.address}:8080`)
    await giveEachOther(ada, folder, (...words) => Terminal.runs(words, link, { enter }))
  },
)

/** A terminal on one machine gives a file to one on another. */
async function meetOverTurn(folder: Folder, server: string, ada: Place, bob: Place): Promise<void> {
  const film = await folder.file('film.bin', 5 * MB)
  const words = ['--json', '--clear']
  const send = Terminal.runs(['send', ...words, '--once', '--server', server, film.path], null, ada)
  const into = join(folder.path, 'received')
  const link = await send.link()
  const received = await Terminal.runs(['receive', ...words, '--into', into], link, bob).ends()
  expect(received.code, received.out).toBe(0)
  expect(received.out).toMatch(OVER_TURN)
  expect(await sha256Of(join(into, film.name))).toBe(film.sha256)
  expect((await send.ends()).code).toBe(0)
}

for (const name of ['the TURN server inside', 'coturn'] as const) {
  const tags = name === 'coturn' ? LONG : {}
  elsewhere(
    `two terminals behind symmetric NATs meet over ${name}`,
    tags,
    async ({ network, serve, folder }) => {
      const coturn = name === 'coturn' ? await Coturn.on(network.server) : null
      try {
        // QUIC is tried before WebRTC, and the relay would have carried the whole file meanwhile.
        await serve(network.server, { ...(coturn?.settings ?? TURN), HELIOGRAPH_RELAY: 'off' })
        const ada = await (await network.home('symmetric')).machine()
        const bob = await (await network.home('symmetric')).machine()
        await meetOverTurn(folder, `http://${network.server.address}:8080`, ada, bob)
      } finally {
        await coturn?.stop()
      }
    },
  )
}

for (const [by, name] of [
  ['TCP', 'the TURN server inside'],
  ['TLS', 'the TURN server inside'],
  ['TCP', 'coturn'],
] as const) {
  const tags = by === 'TCP' && name !== 'coturn' ? {} : LONG
  elsewhere(
    `where networks drop UDP, two terminals meet over ${name} by ${by}`,
    tags,
    async ({ network, serve, folder }) => {
      const coturn = name === 'coturn' ? await Coturn.on(network.server) : null
      try {
        const settings = { ...(coturn?.settings ?? TURN), HELIOGRAPH_RELAY: 'off' }
        const { data } = await serve(network.server, settings)
        const trusts = ['env', `SSL_CERT_FILE=${join(data, 'tls', 'self-signed.pem')}`]
        const places: Place[] = []
        for (let homes = 0; homes < 2; homes += 1) {
          const home = await network.home('preserving')
          await home.dropsUdp()
          if (by === 'TLS') await home.router.filters('insert rule ip nat passing tcp dport 3478 drop')
          places.push({ enter: [...(await home.machine()).enter, ...trusts] })
        }
        const [ada = {}, bob = {}] = places
        await meetOverTurn(folder, `http://${network.server.address}:8080`, ada, bob)
      } finally {
        await coturn?.stop()
      }
    },
  )
}

elsewhere(
  'a page meets a terminal whose network drops UDP over TURN',
  LONG,
  async ({ network, serve, on, folder }) => {
    await serve(network.server, TURN)
    const ada = await on(await (await network.home('preserving')).machine(), 'Ada')
    const home = await network.home('preserving')
    await home.dropsUdp()
    const { enter } = await home.machine()
    const link = (await ada.startsBeam()).replace(/^https:.+8443/, `http://${network.server.address}:8080`)
    await giveEachOther(ada, folder, (...words) => Terminal.runs(words, link, { enter }))
  },
)
