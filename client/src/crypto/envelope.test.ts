import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { fromBase64Url, randomBytes, toBase64Url, utf8 } from './bytes'
import { envelopeName, headerOf, type Kind, keyIdOf, Opener, Sealer } from './envelope'

const BEAM_KEY = randomBytes(32)
const KINDS: readonly Kind[] = ['share_clipboard', 'delete_note', 'signal', 'e2e']

let sealer: Sealer
let opener: Opener

beforeAll(async () => {
  sealer = await Sealer.of(BEAM_KEY)
  opener = new Opener(BEAM_KEY)
})

/** Changes one bit of an envelope. */
function changed(envelope: string, bit: number): string {
  const [prefix = '', text = ''] = envelope.split('.')
  const bytes = fromBase64Url(text) ?? new Uint8Array(0)
  const at = Math.floor(bit / 8) % bytes.byteLength
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8))
  return `${prefix}.${toBase64Url(bytes)}`
}

describe('an envelope', () => {
  it('has a name that says what its header says, and no other one has', async () => {
    const [one, other] = [await sealer.seal('signal', utf8('a')), await sealer.seal('signal', utf8('a'))]
    expect(envelopeName(one)).not.toBe(envelopeName(other))
    const header = fromBase64Url(envelopeName(one))
    expect(header?.byteLength).toBe(33)
    expect(toBase64Url(header?.slice(9, 25) ?? new Uint8Array(0))).toBe(headerOf(one)?.page)
  })

  it('opens to what was sealed', async () => {
    const contents = fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (content) => {
      const opened = await opener.open('signal', await sealer.seal('signal', content))
      expect(opened?.content).toEqual(content)
    })
    await fc.assert(contents, { numRuns: 50 })
  })

  it('opens as nothing else than it was sealed as', async () => {
    const envelope = await sealer.seal('share_clipboard', utf8('hello'))
    const opened = await Promise.all(KINDS.map((kind) => opener.open(kind, envelope)))
    expect(opened.map((one) => one !== null)).toEqual([true, false, false, false])
  })

  it('does not open with any bit of it changed', async () => {
    const envelope = await sealer.seal('share_clipboard', utf8('hello'))
    const bits = 8 * (fromBase64Url(envelope.slice(5))?.byteLength ?? 0)
    for (let bit = 0; bit < bits; bit += 3)
      expect(await opener.open('share_clipboard', changed(envelope, bit)), `bit ${bit}`).toBeNull()
  })

  it('does not open under another key', async () => {
    const envelope = await sealer.seal('signal', utf8('hello'))
    expect(await new Opener(randomBytes(32)).open('signal', envelope)).toBeNull()
  })

  it('names its key, its page and its number there, and no two of a page have one number', async () => {
    const mine = await Sealer.of(BEAM_KEY)
    const envelopes = await Promise.all(Array.from({ length: 20 }, () => mine.seal('signal', utf8('x'))))
    const headers = envelopes.map(headerOf)
    expect(headers.map((header) => header?.number)).toEqual(Array.from({ length: 20 }, (_, at) => at))
    expect(new Set(headers.map((header) => header?.page)).size).toBe(1)
    expect(headers[0]?.keyId).toBe(await keyIdOf(BEAM_KEY))
  })

  it('is of another page after a reload, so that no nonce is used again', async () => {
    const pages = await Promise.all(
      Array.from(
        { length: 50 },
        async () => headerOf(await (await Sealer.of(BEAM_KEY)).seal('e2e', utf8('')))?.page,
      ),
    )
    expect(new Set(pages).size).toBe(50)
  })

  it('tells nothing of the length of a short text', async () => {
    const short = await sealer.seal('share_clipboard', utf8('a'))
    const longer = await sealer.seal('share_clipboard', utf8('a'.repeat(200)))
    expect(short.length).toBe(longer.length)
  })

  it.each(['', 'e2e1.', 'e2e1.AA', 'e2e2.AAAA', 'hello', `e2e1.${'A'.repeat(200)}`])(
    'is not %j',
    async (text) => {
      expect(headerOf(text)).toBeNull()
      expect(await opener.open('signal', text)).toBeNull()
    },
  )
})
