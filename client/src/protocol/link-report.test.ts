import { expect, it } from 'vitest'
import { type LinkReport, linkRows } from './link-report'

const link: LinkReport = {
  key: 'a',
  kind: 'host',
  protocol: 'udp',
  roundTrip: 4,
  wire: { sent: 100_000, received: 2_200_000 },
  payload: { sent: 0, received: 2_000_000 },
}

it('the rate of a link is what came and went since the last look', () => {
  const later = { ...link, payload: { sent: 500_000, received: 3_000_000 } }
  const [row] = linkRows({ at: 3_000, links: [later] }, { at: 1_000, links: [link] })
  expect(row).toMatchObject({ bytes: 3_500_000, rate: 750_000 })
})

it('at the first look, and of a link that is new, the rate is not known', () => {
  expect(linkRows({ at: 0, links: [link] }, null)[0]?.rate).toBeNull()
  expect(linkRows({ at: 9, links: [link] }, { at: 0, links: [] })[0]?.rate).toBeNull()
})

it('what a browser does not tell is not known, rather than nothing', () => {
  const silent = { ...link, wire: null, payload: null }
  const [row] = linkRows({ at: 9, links: [silent] }, { at: 0, links: [silent] })
  expect(row).toMatchObject({ bytes: null, rate: null, overhead: null })
})

it('the overhead is what the wire brought beside the frames', () => {
  const [row] = linkRows({ at: 0, links: [link] }, null)
  expect(row?.overhead).toBeCloseTo(0.1)
})

it('no overhead is told of few bytes, nor of what was only sent', () => {
  const few = { ...link, payload: { sent: 90_000_000, received: 1_000 } }
  expect(linkRows({ at: 0, links: [few] }, null)[0]?.overhead).toBeNull()
})
