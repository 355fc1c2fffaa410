import { globSync, readFileSync } from 'node:fs'
import { i18n, type Messages } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { afterEach, describe, expect, it } from 'vitest'
import { SERVER_FORMS, SERVER_TEXTS, serverText } from './server-texts'

const ROOT = `${import.meta.dirname}/../../..`

/** What the server says elsewhere: in its terminal, in its page for programs, to other nodes, to plain devices (E12). */
const NO_REFUSALS = [
  'Another device',
  'Bearer ',
  'Browsers warn about its own certificate. What to do: {}',
  'Heliograph is ready:',
  'Heliograph on this network',
  'The client is not built: run make build.\\n',
  "This beam is encrypted, and this app cannot read what is shared in it. Open the beam's link in a browser, or ask somebody in the beam to send to this device too.",
  'Welcome to the beam.',
]

/**
 * Refusals of what neither the page nor a browser ever sends, and of what no person asked for. Those of tus (H45) are
 * among them: the library that speaks it acts by the status, and no person sees the sentence.
 */
const NOT_SHOWN = [
  'A header may be sent only once.',
  'A length or offset must be a number of bytes.',
  'A request must have exactly one Host.',
  'A text field is not UTF-8.',
  'A websocket handshake was expected here.',
  'Another request sends a piece of this upload now. Try again.',
  'The body must be a multipart form.',
  'The body must be application/offset+octet-stream.',
  'The body nests deeper than 100 levels.',
  'The bytes do not have this checksum. Send them again.',
  'The file does not have these bytes.',
  'The first message must be auth.',
  'The form cannot be read.',
  'The form has too many fields.',
  'The headers of the form are too long.',
  'The host name is malformed.',
  'The kind of an item has at most 64 bytes and no control characters.',
  'The server cannot relay now.',
  'The server speaks tus 1.0.0: send Tus-Resumable: 1.0.0.',
  'The upload goes on at another offset. A HEAD request tells which.',
  'This device has already joined.',
  'This frame is too large.',
  'This frame names no device.',
  'Too much data is waiting for that device.',
  'Upload-Checksum must be sha1 or sha256, a space, and the checksum in base64.',
  'Upload-Length must be the length of the file in bytes.',
  'Upload-Metadata must be keys with values in base64, in at most 4096 bytes.',
  'Upload-Offset must be the number of bytes that are here.',
  'beam_id must be the id of a beam.',
]

/** The tokens of Rust that matter here, so that a quote in a comment or a character begins no string. */
const TOKEN = /\/\/[^\n]*|description = "(?:\\.|[^"\\])*"|'(?:\\.|[^\\'])'|r(#*)".*?"\1|"((?:\\.|[^"\\])*)"/gs

/** Words that begin with a capital, or end with a full stop; `SELECT` begins a statement of the database. */
const SENTENCE = /^(?![A-Z]{2})[A-Z].* |^\w+ .*\.$/

function sentencesIn(source: string): string[] {
  const [code = ''] = source.split(/#\[cfg\(test\)\]\s*mod \w+ \{/)
  const strings = [...code.matchAll(TOKEN)].map(([, , string = '']) => string.replace(/\\\n\s*/g, ''))
  // One answer is written as bytes, with its body.
  const texts = strings.map((string) => /\\"detail\\":\\"([^"]+)\\"/.exec(string)?.[1] ?? string)
  return texts.filter((text) => SENTENCE.test(text)).map(withoutNames)
}

/** A placeholder may have a number or a name. */
function withoutNames(text: string): string {
  return text.replace(/\{\w*\}/g, '{}')
}

const files = globSync('{signal,shared,storage}/src/**/*.rs', { cwd: ROOT }).filter(
  // The document of the HTTP API is for programmers; the commands beside `serve`, the doctor among them, and the metrics
  // are for the operator.
  (file) =>
    !/tests(\/|\.rs)|openapi\.rs|\/(operate|doctor)\/|examination\.rs|trial\.rs|metrics\.rs/.test(file),
)
const sent = new Set(files.flatMap((file) => sentencesIn(readFileSync(`${ROOT}/${file}`, 'utf8'))))
const forms = SERVER_FORMS.map(([, text]) => text('{}'))
const known = [...SERVER_TEXTS.keys(), ...forms, ...NOT_SHOWN, ...NO_REFUSALS]

describe('the sentences of the server', () => {
  it('are found in its sources', () => {
    const source = `
      /// "This is a comment."
      const QUOTE: char = '"';
      const FULL: &str = "This beam is \\
                          full.";
      description = "This is for programmers."
      "SELECT 1 FROM beams" "the cause of an error" "Wait {} s."
      b"{\\"detail\\":\\"Too many.\\"}"
      #[cfg(test)]
      mod tests {
          "This is a test."
      }`
    expect(sentencesIn(source)).toEqual(['This beam is full.', 'Wait {} s.', 'Too many.'])
    expect(files.length).toBeGreaterThan(100)
  })

  it('are all translated', () => {
    expect([...sent].filter((sentence) => !known.includes(sentence))).toEqual([])
  })

  it('are no longer translated once the server does not say them', () => {
    expect(known.filter((sentence) => !sent.has(sentence))).toEqual([])
  })

  it('have a text that says the same', () => {
    const different = [...SERVER_TEXTS].filter(([sentence, { message }]) => message !== sentence)
    expect(different).toEqual([])
    expect(SERVER_FORMS.filter(([form, text]) => !form.test(text('12')))).toEqual([])
  })
})

describe('a sentence of the server', () => {
  const address = ''
  const seconds = ''
  const german: Messages = {
    [msg`Try again.`.id]: ['Noch einmal versuchen.'],
    [msg`Too many requests. Try again in ${seconds} s.`.id]: [
      'Zu viele Anfragen. In ',
      ['seconds'],
      ' s noch einmal versuchen.',
    ],
    [msg`This server does not answer as ${address}. If that is its address, start it with --public-url https://${address}.`
      .id]: ['Starte den Server mit --public-url https://', ['address'], ', statt ', ['address'], '.'],
  }
  const inGerman = () => i18n.loadAndActivate({ locale: 'de', messages: german })
  afterEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

  it('is shown in the language of the page', () => {
    expect(serverText('Try again.')).toBe('Try again.')
    inGerman()
    expect(serverText('Try again.')).toBe('Noch einmal versuchen.')
  })

  it('keeps its number or name', () => {
    const wait = 'Too many requests. Try again in 12 s.'
    const unknown =
      'This server does not answer as box.lan:8080. If that is its address, start it with --public-url https://box.lan:8080.'
    expect([wait, unknown].map(serverText)).toEqual([wait, unknown])
    inGerman()
    expect([wait, unknown].map(serverText)).toEqual([
      'Zu viele Anfragen. In 12 s noch einmal versuchen.',
      'Starte den Server mit --public-url https://box.lan:8080, statt box.lan:8080.',
    ])
  })

  it.each(['The moon is full.', 'Too many requests. Try again in 12 s, please.', 'Try', ''])(
    'stays as it is when a newer server says it: %s',
    (sentence) => {
      inGerman()
      expect(serverText(sentence)).toBe(sentence)
    },
  )
})
