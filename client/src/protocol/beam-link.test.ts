import { describe, expect, it } from 'vitest'
import { beamLink, findBeamId, findInvite, isSecureLink, opensSealed, parseBeamId } from './beam-link'
import type { BeamId, Site } from './bindings'

const ID = '7c9e6679-4b1d-4f0a-9d3c-5a1e2b3c4d5e'
const site = (more: Partial<Site>): Site => ({
  name: 'Heliograph',
  version: '1.0.0',
  public_url: null,
  network_url: null,
  self_signed: false,
  repository: '',
  ...more,
})

describe('b9 a beam id', () => {
  it.each([ID, ID.toUpperCase(), ` ${ID} `])('is read from %s', (text) => {
    expect(parseBeamId(text)).toBe(ID)
  })

  it.each([
    '',
    'x',
    ID.slice(1),
    `${ID}0`,
    ID.replace('-4f', '-5f'),
    ID.replace('-9d', '-7d'),
    ID.replaceAll('-', ''),
  ])('is not read from %s', (text) => expect(parseBeamId(text)).toBeNull())

  it('is found in a link, up to the next parameter or the fragment', () => {
    expect(findBeamId(`https://h.example/?beam_id=${ID}`)).toBe(ID)
    expect(findBeamId(`https://h.example/space?beam_id=${ID}&x=1#y`)).toBe(ID)
    expect(findBeamId('https://h.example/?beam_id=nonsense')).toBeNull()
  })
})

it('e1 finds no beam in a link that has lost a part of its secret', () => {
  const link = `https://h.example/?beam_id=${ID}#k=${'A'.repeat(43)}`
  expect(findBeamId(link)).toBe(ID)
  expect(findBeamId(`${link} sent from my phone`)).toBe(ID)
  expect(findBeamId(link.slice(0, -1))).toBeNull()
  expect(findBeamId(`${link}A`)).toBeNull()
})

describe('p3 the link of a beam', () => {
  const local = { origin: 'http://localhost:8080', hostname: 'localhost' }
  const id = ID as BeamId

  it('carries the network address when the page is on localhost', () => {
    const link = beamLink({ beamId: id }, site({ network_url: 'http://192.0.2.7:8080' }), local)
    expect(link).toBe(`http://192.0.2.7:8080/?beam_id=${ID}`)
  })

  it('carries the own address when the server listens on loopback only', () => {
    expect(beamLink({ beamId: id }, site({}), local)).toBe(`http://localhost:8080/?beam_id=${ID}`)
    expect(beamLink({ beamId: id }, null, local)).toBe(`http://localhost:8080/?beam_id=${ID}`)
  })

  it('carries the public address wherever the page is', () => {
    const link = beamLink(
      { beamId: id },
      site({ public_url: 'https://h.example', network_url: 'http://192.0.2.7:8080' }),
      local,
    )
    expect(link).toBe(`https://h.example/?beam_id=${ID}`)
  })

  const SECRET = `${'A'.repeat(42)}-`

  it('e1 carries the secret behind the address, where it is found again', () => {
    const link = beamLink({ beamId: id, invite: SECRET }, site({}), local)
    expect(link).toBe(`http://localhost:8080/?beam_id=${ID}#k=${SECRET}`)
    expect(findInvite(link)).toBe(SECRET)
    expect(findBeamId(link)).toBe(ID)
  })

  const PLAIN = 'http://192.0.2.7:8080'
  const SEALED = { beamId: id, invite: SECRET }
  it.each([
    ['this page, that came by https', site({ public_url: PLAIN }), 'https://h.example'],
    [
      'the address of the server on the network',
      site({ network_url: 'https://h.example' }),
      'http://localhost',
    ],
    [
      'the https one of two',
      site({ public_url: PLAIN, network_url: 'https://h.example' }),
      'http://localhost',
    ],
  ])('e1 leads by https to what is sealed, where that is possible: to %s', (_, about, page) => {
    expect(beamLink(SEALED, about, new URL(page))).toBe(`https://h.example/?beam_id=${ID}#k=${SECRET}`)
  })

  const LIES = site({ public_url: 'https://evil.example', network_url: 'https://evil.example' })

  it.each([
    ['with', SEALED],
    ['without', { beamId: id }],
  ])('e1 leads %s a secret to where the page came from by https, whatever the server says', (_, linked) => {
    const page = new URL('https://h.example')
    expect(beamLink(linked, LIES, page)).toBe(beamLink(linked, site({}), page))
    expect(beamLink(linked, LIES, page)).toContain(`https://h.example/?beam_id=${ID}`)
  })

  it('p3 leads from a page by https on the machine of the server to where other devices reach it', () => {
    const about = site({ network_url: 'https://192.0.2.7:8443' })
    expect(beamLink(SEALED, about, new URL('https://localhost:8443'))).toContain('https://192.0.2.7:8443/')
  })

  it('e1 carries no secret over a network where anybody could read it', () => {
    const link = beamLink(SEALED, site({ network_url: PLAIN }), local)
    expect(link).toBe(`${PLAIN}/?beam_id=${ID}`)
    expect(opensSealed(link)).toBe(false)
    expect(opensSealed(beamLink(SEALED, site({}), local))).toBe(true)
  })

  it.each([`${SECRET}.`, `${SECRET} see this`, `${SECRET}&x`])('e1 finds the secret in #k=%s', (text) => {
    expect(findInvite(`#k=${text}`)).toBe(SECRET)
  })

  it.each(['', '#', '#k=', '#k=AAAA', `#k=${SECRET}A`, `#x=${SECRET}`])(
    'e1 finds no secret in %j',
    (fragment) => {
      expect(findInvite(fragment)).toBeNull()
    },
  )
})

describe('e1 the link of a beam leads to a page that can seal', () => {
  const on = (url: string) => new URL(url)

  it.each([
    ['by https', site({}), 'https://h.example'],
    ['on the machine of the server alone', site({}), 'http://localhost:8080'],
    [
      'at the public address, from the machine of the server',
      site({ public_url: 'https://h.example' }),
      'http://localhost',
    ],
    ['on the network by https', site({ network_url: 'https://192.0.2.7:8443' }), 'http://127.0.0.1:8080'],
    ['where nothing is known of the server', null, 'http://localhost:8080'],
    [
      'from a page that came by https, whatever the server says',
      site({ public_url: 'http://h.example' }),
      'https://h.example',
    ],
  ])('%s', (_name, about, page) => expect(isSecureLink(about, on(page))).toBe(true))

  it.each([
    ['on the network by plain http', site({ network_url: 'http://192.0.2.7:8080' }), 'http://localhost:8080'],
    ['from a page that came by plain http', site({}), 'http://192.0.2.7:8080'],
  ])('but not %s', (_name, about, page) => expect(isSecureLink(about, on(page))).toBe(false))
})
