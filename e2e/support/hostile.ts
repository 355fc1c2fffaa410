/** A server that does what it likes: it stands between a page and the real one, and changes, keeps and invents messages. */
import type { Page, WebSocketRoute } from '@playwright/test'

export interface Message {
  type: string
  message?: unknown
  extra?: unknown
  id?: string
  seq?: number
  from?: string
  at?: number
  to?: string
}

/** Returns what is passed on in place of a message: the same one for nothing special, null for nothing at all. */
type Hook = (message: Message) => Message | null

/** Changes one character of each text on its way. */
export const spoilsTexts: Hook = (message) => {
  if (message.type !== 'rec_clipboard') return message
  const text = String(message.message)
  const changed = text.at(-3) === 'A' ? 'B' : 'A'
  return { ...message, message: text.slice(0, -3) + changed + text.slice(-2) }
}

/** Gives a page none of some items. */
export function withoutItems(isWithheld: (item: Message) => boolean): Hook {
  return (message) => {
    if (message.type === 'rec_clipboard') return isWithheld(message) ? null : message
    if (message.type !== 'sync') return message
    const page = message.message as { items: Message[] }
    return { ...message, message: { ...page, items: page.items.filter((item) => !isWithheld(item)) } }
  }
}

const asItIs: Hook = (message) => message

export class Hostile {
  /** What the page says, before the real server hears it. */
  fromPage: Hook = asItIs
  /** What the real server says, before the page hears it. */
  toPage: Hook = asItIs
  /** Relayed frames, on their way to the page. Null drops one. */
  frameToPage: (frame: Buffer) => Buffer | null = (frame) => frame
  /** Whether the page is not told when the real server closes it. */
  isHolding = false
  /** Everything in text that went by, in both directions. */
  readonly heard: Message[] = []
  #route: WebSocketRoute | null = null

  /** Stands between a page and its server from now on. Call it before the page opens. */
  static async before(page: Page): Promise<Hostile> {
    const hostile = new Hostile()
    await page.routeWebSocket(/\/ws\/beam\//, (route) => hostile.#stands(route))
    return hostile
  }

  /** Tells the page something of its own. */
  says(message: Message): void {
    this.#route?.send(JSON.stringify(message))
  }

  /** The last message of a type that went by. */
  last(type: string): Message {
    const found = this.heard.findLast((message) => message.type === type)
    if (!found) throw new Error(`No ${type} went by.`)
    return found
  }

  #stands(route: WebSocketRoute): void {
    this.#route = route
    const server = route.connectToServer()
    route.onMessage((data) =>
      this.#pass(
        data,
        this.fromPage,
        (frame) => frame,
        (passed) => server.send(passed),
      ),
    )
    server.onClose((code, reason) => {
      if (!this.isHolding) void route.close({ ...(code !== undefined && { code }), reason: reason ?? '' })
    })
    server.onMessage((data) =>
      this.#pass(data, this.toPage, this.frameToPage, (passed) => route.send(passed)),
    )
  }

  #pass(
    data: string | Buffer,
    hook: Hook,
    frames: (frame: Buffer) => Buffer | null,
    send: (data: string | Buffer) => void,
  ): void {
    if (typeof data !== 'string') {
      const frame = frames(data)
      if (frame) send(frame)
      return
    }
    if (!data.startsWith('{')) return send(data)
    const message = JSON.parse(data) as Message
    this.heard.push(message)
    const passed = hook(message)
    if (passed) send(passed === message ? data : JSON.stringify(passed))
  }
}
