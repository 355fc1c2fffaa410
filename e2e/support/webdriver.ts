/** The commands of W3C WebDriver that are needed for a browser without a Playwright driver. */

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

export interface Element {
  [ELEMENT]: string
}

export class WebDriver {
  readonly #session: string

  private constructor(session: string) {
    this.#session = session
  }

  /** Opens a browser through the driver that listens on `driver`. */
  static async open(driver: string, capabilities: object): Promise<WebDriver> {
    const value = await command(`${driver}/session`, 'POST', {
      capabilities: { alwaysMatch: capabilities },
    })
    return new WebDriver(`${driver}/session/${(value as { sessionId: string }).sessionId}`)
  }

  async goTo(url: string): Promise<void> {
    await this.#post('url', { url })
  }

  /** Returns the elements that an XPath matches now. */
  async all(xpath: string): Promise<Element[]> {
    return (await this.#post('elements', { using: 'xpath', value: xpath })) as Element[]
  }

  async click(element: Element): Promise<void> {
    await this.#post(`element/${element[ELEMENT]}/click`, {})
  }

  /** Types into a field; for a file input the text is a path. */
  async type(element: Element, text: string): Promise<void> {
    await this.#post(`element/${element[ELEMENT]}/value`, { text })
  }

  /** Runs a function body in the page. Its last argument is the callback for the result. */
  async run(body: string, ...args: unknown[]): Promise<unknown> {
    return await this.#post('execute/async', { script: body, args })
  }

  async allowMinutes(minutes: number): Promise<void> {
    await this.#post('timeouts', { script: minutes * 60_000, pageLoad: 60_000, implicit: 0 })
  }

  async close(): Promise<void> {
    await command(this.#session, 'DELETE')
  }

  async #post(path: string, body: object): Promise<unknown> {
    return await command(`${this.#session}/${path}`, 'POST', body)
  }
}

async function command(url: string, method: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) })
  const { value } = (await answer.json()) as { value: unknown }
  if (answer.ok) return value
  const { error, message } = value as { error: string; message: string }
  throw new Error(`${method} ${url}: ${error}: ${message}`)
}
