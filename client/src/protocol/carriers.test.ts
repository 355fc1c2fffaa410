import { expect, it } from 'vitest'
import { Carriers } from './carriers'

const idle = () => false

it('the first links that carry are told at once', () => {
  const carriers = new Carriers()
  expect(carriers.look(idle, 0)).toEqual([])
  carriers.carried('a')
  carriers.carried('b')
  expect(carriers.look(idle, 250)).toEqual(['a', 'b'])
})

it('a link that joins is told within a second, and not before it has carried for a moment', () => {
  const carriers = new Carriers()
  const told = [0, 250, 500, 750, 1000, 1250].map((now) => {
    carriers.carried('a')
    if (now >= 250) carriers.carried('b')
    return carriers.look(idle, now).length
  })
  expect(told).toEqual([1, 1, 1, 1, 2, 2])
})

it('a link that rests between two chunks stays told', () => {
  const carriers = new Carriers()
  for (let now = 0; now < 10_000; now += 250) {
    carriers.carried('a')
    if (now % 1_000 === 0) carriers.carried('b')
    if (now >= 1_000) expect(carriers.look(idle, now)).toHaveLength(2)
    else carriers.look(idle, now)
  }
})

it('a slow link on which chunks are expected stays told', () => {
  const carriers = new Carriers()
  carriers.carried('slow')
  carriers.look(idle, 0)
  for (let now = 0; now < 8_000; now += 250) {
    carriers.carried('fast')
    const told = carriers.look((link) => link === 'slow', now)
    expect(told).toContain('slow')
  }
})

it('a link that carries no more is told no more within two seconds', () => {
  const carriers = new Carriers()
  carriers.carried('gone')
  carriers.carried('stays')
  carriers.look(idle, 0)
  let told: readonly string[] = []
  for (let now = 250; now <= 2_000; now += 250) {
    carriers.carried('stays')
    told = carriers.look(idle, now)
  }
  expect(told).toEqual(['stays'])
})

it('another way is told at once when nothing of the old one is left', () => {
  const carriers = new Carriers()
  carriers.carried('direct')
  carriers.look(idle, 0)
  carriers.carried('server')
  expect(carriers.look(idle, 1_000)).toEqual(['server'])
})

it('while nothing carries, the last way stays told', () => {
  const carriers = new Carriers()
  carriers.carried('a')
  carriers.look(idle, 0)
  expect(carriers.look(idle, 60_000)).toEqual(['a'])
})

it('what carried before a rest is not told beside what carries after it', () => {
  const carriers = new Carriers()
  carriers.carried('server')
  carriers.look(idle, 0)
  carriers.carried('server')
  carriers.rests(100)
  carriers.carried('stored')
  expect(carriers.look(idle, 5_000)).toEqual(['stored'])
})
