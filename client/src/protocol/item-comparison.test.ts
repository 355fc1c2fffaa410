import { describe, expect, it } from 'vitest'
import { MOST_LISTED } from './item-comparison'
import { ComparisonStage } from './item-comparison-stage'
import { numbersFrom } from './seeded-numbers'

const random = numbersFrom(1)

/** Something that happens in a beam with an honest server. */
function anything(stage: ComparisonStage, random: () => number): void {
  const by = Math.floor(random() * stage.devices.length)
  const id = `item ${Math.floor(random() * 12)}`
  const device = stage.device(by)
  const happens = random()
  if (happens < 0.4) stage.shares(by, id)
  else if (happens < 0.5) stage.deletes(by, id)
  else if (happens < 0.55) device.connects()
  else if (happens < 0.6) device.reloads()
  else if (happens < 0.62) device.leaves()
  else if (happens < 0.65) stage.forgets(id)
  else if (happens < 0.75) stage.now += random() * 10_000
  else for (let steps = random() * 30; steps > 0; steps -= 1) stage.goesOn(random)
}

describe('e14 with an honest server, no device ever says that something is missing', () => {
  it.each(Array.from({ length: 300 }, (_, seed) => seed))('whatever happens (%i)', (seed) => {
    const random = numbersFrom(seed)
    const stage = new ComparisonStage(2 + (seed % 4), seed % 3 === 0 ? 6 : undefined)
    for (let times = 0; times < 150; times += 1) {
      anything(stage, random)
      expect(stage.devices.flatMap(({ missing }) => missing)).toEqual([])
    }
    for (const device of stage.devices) if (!device.isHere) device.connects()
    stage.settles(random)
    expect(stage.devices.flatMap(({ missing }) => missing)).toEqual([])
  })

  it('and nothing more is said once all have told each other the same', () => {
    const stage = new ComparisonStage(3)
    stage.shares(0, 'bread')
    stage.settles(random)
    const said = stage.told.length
    stage.settles(random)
    expect(stage.told).toHaveLength(said)
  })

  it('and each device tells eight others of a change, once', () => {
    const stage = new ComparisonStage(100)
    stage.settles(random)
    const said = stage.told.length
    stage.shares(1, 'bread')
    stage.settles(random)
    expect(stage.told.length - said).toBe(800)
  })

  it('and nothing more is said where the server has dropped something that one device still has', () => {
    const stage = new ComparisonStage(2)
    stage.shares(0, 'bread')
    stage.settles(random)
    stage.forgets('bread')
    stage.device(1).reloads()
    stage.settles(random)
    const said = stage.told.length
    stage.settles(random)
    expect(stage.told).toHaveLength(said)
    expect(stage.device(0).missing).toEqual([])
  })
})

describe('e14 what the server withholds from one device is missing there, and nowhere else', () => {
  const missing = (stage: ComparisonStage) => stage.devices.map((device) => device.missing)

  it.each(Array.from({ length: 100 }, (_, seed) => seed))('whatever else happens (%i)', (seed) => {
    const random = numbersFrom(seed)
    const stage = new ComparisonStage(2 + (seed % 4))
    stage.device(1).hook = (sent) => {
      if (sent.is === 'item' && sent.id === 'plan') return null
      if (sent.is !== 'everything') return sent
      return { ...sent, items: new Map([...sent.items].filter(([id]) => id !== 'plan')) }
    }
    stage.shares(0, 'plan')
    stage.settles(random)
    for (let times = 0; times < 100; times += 1) anything(stage, random)
    for (const device of stage.devices) if (!device.isHere) device.connects()
    stage.settles(random)
    expect(missing(stage)).toEqual(stage.devices.map((_, at) => (at === 1 ? ['plan'] : [])))
  })

  it('from a live device, until the server gives it', () => {
    const stage = new ComparisonStage(2)
    // It does not even answer what it has.
    stage.device(1).hook = (sent) => (sent.is === 'item' || sent.is === 'everything' ? null : sent)
    stage.shares(0, 'plan')
    stage.settles(random)
    expect(missing(stage)).toEqual([[], ['plan']])
    stage.device(1).hook = (sent) => sent
    stage.device(1).tell({ is: 'retried' })
    stage.settles(random)
    expect(missing(stage)).toEqual([[], []])
  })

  it('from a device that comes, until a device deletes it', () => {
    const stage = new ComparisonStage(2)
    stage.shares(0, 'plan')
    stage.settles(random)
    stage.device(1).hook = (sent) => (sent.is === 'everything' ? { ...sent, items: new Map() } : sent)
    stage.device(1).reloads()
    stage.settles(random)
    expect(missing(stage)).toEqual([[], ['plan']])
    stage.deletes(0, 'plan')
    stage.settles(random)
    expect(missing(stage)).toEqual([[], []])
  })

  it('as is a version that was replaced, for which it gives an older one', () => {
    const stage = new ComparisonStage(2)
    stage.shares(0, 'plan')
    stage.settles(random)
    const old = stage.kept()
    stage.shares(0, 'plan')
    stage.settles(random)
    stage.device(1).hook = (sent) => (sent.is === 'everything' ? { ...sent, items: old } : sent)
    stage.device(1).reloads()
    stage.settles(random)
    expect(missing(stage)).toEqual([[], ['plan']])
  })

  it('as is a version that came to it before an older one, of which nobody can tell that it is older', () => {
    const stage = new ComparisonStage(3)
    stage.shares(0, 'plan')
    stage.settles(random)
    const old = stage.kept()
    stage.shares(1, 'plan')
    stage.settles(random)
    const [[id, version] = []] = old
    const cleo = stage.device(2)
    cleo.hook = (sent) => (sent.is === 'everything' ? { ...sent, items: old } : sent)
    if (id !== undefined && version !== undefined) stage.sends(cleo, { is: 'item', id, version })
    stage.settles(random)
    expect(missing(stage)).toEqual([['plan'], ['plan'], ['plan']])
  })

  it('while the device that was given it is here', () => {
    const stage = new ComparisonStage(2)
    stage.shares(0, 'plan')
    stage.settles(random)
    stage.device(1).hook = (sent) => (sent.is === 'everything' ? { ...sent, items: new Map() } : sent)
    stage.device(1).reloads()
    stage.settles(random)
    stage.device(0).leaves()
    stage.settles(random)
    expect(missing(stage)).toEqual([[], []])
  })

  it('among hundred devices, each of which compares itself with eight', () => {
    const stage = new ComparisonStage(100)
    stage.device(40).hook = (sent) => (sent.is === 'item' ? null : withoutAny(sent))
    stage.shares(0, 'plan')
    stage.settles(random, 60)
    const lacking = stage.devices.filter((device) => device.missing.length > 0)
    expect(lacking.map(({ id }) => id)).toEqual(['device 40'])
  })

  it('among the newest of very many', () => {
    const stage = new ComparisonStage(2)
    for (let at = 0; at < MOST_LISTED + 10; at += 1) stage.shares(0, `item ${at}`)
    stage.device(1).hook = (sent) => (sent.is === 'item' ? null : withoutAny(sent))
    stage.settles(random)
    expect(stage.device(1).missing).toHaveLength(MOST_LISTED)
  })
})

function withoutAny<Sent extends { readonly is: string }>(sent: Sent): Sent {
  return sent.is === 'everything' ? { ...sent, items: new Map() } : sent
}
