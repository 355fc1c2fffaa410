/**
 * Collects what is sealed from all that goes by. Who sees two texts that were sealed under one key with one nonce can read both
 * and make up others, so that there may never be two.
 */
import type { BrowserContext } from '@playwright/test'

/** An envelope (E2) or the keys of a kept beam (E10): what names its key and nonce, and the rest. */
const SEALED = /(e2e1\.[\w-]{44}|e2k1\.[\w-]{16})([\w-]+)/g
/** Bytes of an envelope's header: its version, the id of its beam key, and the page that sealed it. Its number follows. */
const PAGE_AT = 9
const NUMBER_AT = 25

export class Nonces {
  /** By the key and the nonce: everything that was sealed with them. The same text may be sent several times. */
  readonly #sealed = new Map<string, Set<string>>()

  /** Listens to all pages of a browser from now on, in both directions. */
  async watch(context: BrowserContext): Promise<void> {
    await context.routeWebSocket(/\/ws\/beam\//, (route) => {
      const server = route.connectToServer()
      route.onMessage((data) => server.send(this.#heard(data)))
      server.onMessage((data) => route.send(this.#heard(data)))
    })
  }

  /** Notes what is sealed in a text. */
  hears(text: string): void {
    for (const [, name = '', sealed = ''] of text.matchAll(SEALED)) {
      const before = this.#sealed.get(name) ?? new Set()
      this.#sealed.set(name, before.add(sealed))
    }
  }

  get count(): number {
    return this.#sealed.size
  }

  /** The keys and nonces with which more than one text was sealed. */
  get repeated(): readonly string[] {
    return [...this.#sealed].flatMap(([name, texts]) => (texts.size > 1 ? [name] : []))
  }

  /** The numbers that each page of each key has used. */
  get pages(): ReadonlyMap<string, ReadonlySet<bigint>> {
    const pages = new Map<string, Set<bigint>>()
    for (const name of this.#sealed.keys()) {
      const [kind, text = ''] = name.split('.')
      if (kind !== 'e2e1') continue
      const header = Buffer.from(text, 'base64url')
      const page = header.toString('hex', PAGE_AT - 8, NUMBER_AT)
      pages.set(page, (pages.get(page) ?? new Set()).add(header.readBigUInt64BE(NUMBER_AT)))
    }
    return pages
  }

  #heard(data: string | Buffer): string | Buffer {
    if (typeof data === 'string') this.hears(data)
    return data
  }
}
