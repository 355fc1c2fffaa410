import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ChunkRange, ChunkSet } from './chunk-set'

const range = fc.record({ first: fc.nat(40), count: fc.nat(12) })

function numbers(ranges: readonly ChunkRange[]): number[] {
  return ranges.flatMap(({ first, count }) => Array.from({ length: count }, (_, i) => first + i))
}

it('a chunk set behaves like a plain set of numbers', () => {
  const steps = fc.array(fc.record({ add: fc.boolean(), range }), { maxLength: 30 })
  fc.assert(
    fc.property(steps, range, (script, probe) => {
      const set = new ChunkSet()
      const model = new Set<number>()
      for (const { add, range: step } of script) {
        if (add) set.add(step)
        else set.remove(step)
        for (const n of numbers([step])) add ? model.add(n) : model.delete(n)
      }
      expect(set.size).toBe(model.size)
      expect(numbers(set.ranges())).toEqual([...model].sort((a, b) => a - b))
      expect(numbers(set.within(probe))).toEqual(numbers([probe]).filter((n) => model.has(n)))
      expect(numbers(set.missing(probe))).toEqual(numbers([probe]).filter((n) => !model.has(n)))
      const gap = set.firstGap(60, 5)
      const missing = Array.from({ length: 60 }, (_, n) => n).filter((n) => !model.has(n))
      expect(gap?.first).toBe(missing[0])
      expect(numbers(gap ? [gap] : []).every((n) => !model.has(n) && n < 60)).toBe(true)
    }),
  )
})
