import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { barsOf } from './bars'
import { type Box, middle, type Size, touches } from './geometry'
import { BAR_GAP, type Ground, NOTE_GAP, Placer, type Random } from './placement'
import { pushedDown } from './settling'
import { Taken } from './taken'

const SCREEN = { width: 1440, height: 900 }
const NOTE = { width: 256, height: 120 }
const VIEW = { x: 0, y: 0, ...SCREEN }

/** Random numbers that are the same for the same seed. */
function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 }).map(seeded)
const heights = fc.array(fc.integer({ min: 80, max: 380 }), { minLength: 60, maxLength: 60 })

function ground(notes: Box[] = [], code: 'large' | 'corner' = 'corner', screen: Size = SCREEN): Ground {
  return { view: { x: 0, y: 0, ...screen }, bars: barsOf(screen, code, 1), notes }
}

function placedBy(placer: Placer, sizes: readonly Size[], follows = true): Box[] {
  return sizes.map((size) => ({ ...placer.place(size, follows), ...size }))
}

function placed(count: number, on: Ground, random: Random, follows = true): Box[] {
  return placedBy(new Placer(on, random), Array(count).fill(NOTE), follows)
}

function tooClose(boxes: readonly Box[]): number {
  return boxes.filter((box, at) => boxes.some((other, index) => index < at && touches(box, other, NOTE_GAP)))
    .length
}

function isSeen(box: Box, view: Box): boolean {
  return (
    box.x >= view.x &&
    box.y >= view.y &&
    box.x + box.width <= view.x + view.width &&
    box.y + box.height <= view.y + view.height
  )
}

describe('the place of a new note', () => {
  it('is the middle of the view for the first', () => {
    const [first] = placed(1, ground(), seeded(1))
    expect(first && middle(first).x).toBe(720)
    // Between the bars above, of which the search is the lowest, and those below.
    expect(first && middle(first).y).toBeCloseTo((178 + 690) / 2, 0)
  })

  it('is in the middle of the height beside the large code, in the first of the two columns there', () => {
    const [code] = barsOf(SCREEN, 'large', 1).filter(({ height }) => height > 400)
    const [first] = placed(1, ground([], 'large'), seeded(1))
    if (!code || !first) throw new Error('no code')
    const room = (code.x + code.width + BAR_GAP + 1390) / 2
    expect(first.x + first.width + NOTE_GAP / 2).toBeCloseTo(room, 0)
    // Between the search and the card that offers to keep the beam.
    expect(middle(first).y).toBeCloseTo((178 + 578) / 2, 0)
    expect(touches(first, code)).toBe(false)
  })

  it.each([1, -1] as const)(
    'fills two columns beside the large code, with texts that run by %s',
    (forward) => {
      fc.assert(
        fc.property(seeds, (random) => {
          const on = { ...ground(), bars: barsOf(SCREEN, 'large', forward) }
          const columns = new Map<number, number>()
          for (const { x } of placed(24, on, random)) columns.set(x, (columns.get(x) ?? 0) + 1)
          expect([...columns.values()]).toEqual([12, 12])
        }),
      )
    },
  )

  it.each([1, -1] as const)(
    'never comes under the large code as the view moves on, with texts that run by %s',
    (forward) => {
      const low = { width: 256, height: 80 }
      const bars = barsOf(SCREEN, 'large', forward)
      const [code] = bars.filter(({ height }) => height > 400)
      if (!code) throw new Error('no code')
      fc.assert(
        fc.property(seeds, (random) => {
          const notes: Box[] = []
          let view: Box = VIEW
          // One after the other, as a person shares them.
          for (let count = 0; count < 14; count += 1) {
            const moved = bars.map((bar) => ({ ...bar, y: bar.y + view.y }))
            const placer = new Placer({ view, bars: moved, notes }, random)
            const box = { ...placer.place(low, true), ...low }
            expect(isSeen(box, placer.view)).toBe(true)
            notes.push(box)
            view = placer.view
            expect(notes.filter((note) => touches(note, { ...code, y: code.y + view.y }))).toEqual([])
          }
        }),
      )
    },
  )

  it('is 28 px beside or below another in its row', () => {
    fc.assert(
      fc.property(seeds, (random) => {
        const boxes = placed(9, ground(), random)
        for (const box of boxes.slice(1)) {
          const neighbours = boxes.filter((other) => {
            const isBeside = other.y === box.y && Math.abs(other.x - box.x) === NOTE.width + NOTE_GAP
            const isBelow = other.x === box.x && Math.abs(other.y - box.y) === NOTE.height + NOTE_GAP
            return isBeside || isBelow
          })
          expect(neighbours).not.toEqual([])
        }
      }),
    )
  })

  it('is in view, 50 px from its edges and from every bar', () => {
    fc.assert(
      fc.property(seeds, (random) => {
        const boxes = placed(9, ground(), random)
        for (const box of boxes) {
          expect(isSeen(box, { x: 50, y: 50, width: 1340, height: 800 })).toBe(true)
          expect(barsOf(SCREEN, 'corner', 1).some((bar) => touches(box, bar, BAR_GAP))).toBe(false)
        }
        expect(tooClose(boxes)).toBe(0)
      }),
    )
  })

  it('differs from time to time', () => {
    const places = Array.from({ length: 20 }, (_, seed) => placed(3, ground(), seeded(seed * 2 ** 27)))
    expect(new Set(places.map((boxes) => boxes.map(({ x, y }) => `${x} ${y}`).join())).size).toBeGreaterThan(
      1,
    )
  })

  it('covers no other note, whatever their sizes, and the view ends at the newest', () => {
    fc.assert(
      fc.property(seeds, heights, (random, all) => {
        const placer = new Placer(ground(), random)
        const boxes = placedBy(
          placer,
          all.map((height) => ({ width: 256, height })),
        )
        expect(tooClose(boxes)).toBe(0)
        const last = boxes.at(-1)
        expect(last && isSeen(last, placer.view)).toBe(true)
      }),
      { numRuns: 30 },
    )
  })

  it('fills what is free between notes that were put anywhere', () => {
    fc.assert(
      fc.property(seeds, (random) => {
        const notes = [
          { x: 300, y: 140, width: 256, height: 300 },
          { x: 900, y: 310, width: 256, height: 90 },
        ]
        const boxes = [...notes, ...placed(4, ground(notes), random, false)]
        expect(boxes.slice(2).every((box) => isSeen(box, VIEW))).toBe(true)
        expect(tooClose(boxes.slice(2).concat(notes))).toBe(0)
      }),
    )
  })

  it('is in rows below when none is free, and the view follows only what should be seen', () => {
    const full: Box[] = [{ x: -100, y: -100, width: 2000, height: 1400 }]
    for (const follows of [true, false]) {
      const placer = new Placer(ground(full), seeded(3))
      const boxes = placedBy(placer, Array(8).fill(NOTE), follows)
      expect(new Set(boxes.slice(0, 4).map(({ y }) => y)).size).toBe(1)
      expect(boxes[0]?.y).toBe(1300 + NOTE_GAP)
      expect(boxes[4]?.y).toBe(1300 + NOTE.height + 2 * NOTE_GAP)
      expect(placer.view.y > 0).toBe(follows)
    }
  })

  it('of somebody else is under no bar when none is free', () => {
    fc.assert(
      fc.property(seeds, (random) => {
        const boxes = placed(30, ground(), random, false)
        const isUnderBar = (box: Box) => barsOf(SCREEN, 'corner', 1).some((bar) => touches(box, bar))
        expect(boxes.filter(isUnderBar)).toEqual([])
        expect(boxes.some((box) => !touches(box, VIEW))).toBe(true)
      }),
    )
  })

  it('is where the camera looks, however far that is', () => {
    const view = { x: -7000, y: 3000, ...SCREEN }
    const at = new Placer({ view, bars: [], notes: [] }, seeded(1)).place(NOTE, false)
    expect(isSeen({ ...at, ...NOTE }, view)).toBe(true)
  })

  it('of two thousand at once covers none, and needs few looks at what is taken', () => {
    const looks = vi.spyOn(Taken.prototype, 'near')
    const boxes = placed(2000, ground(), seeded(5), false)
    expect(looks.mock.calls.length).toBeLessThan(2000 * 20)
    expect(tooClose(boxes)).toBe(0)
  })

  it('exists on a window that has no room at all', () => {
    const on = ground([], 'corner', { width: 200, height: 120 })
    const boxes = placed(3, on, seeded(9))
    expect(boxes.every((box) => Number.isFinite(box.x + box.y))).toBe(true)
    expect(tooClose(boxes)).toBe(0)
  })
})

describe('the places of notes that are there when a beam is joined', () => {
  /** Of a text, a link, a picture, a recording, a file, a batch and a note. */
  const MIXED = [80, 136, 250, 98, 144, 287, 106]
  const ofHeights = (all: readonly number[]) => all.map((height) => ({ width: 256, height }))

  function filled(sizes: readonly Size[], on = ground()) {
    const placer = new Placer(on, Math.random)
    const places = placer.fill(sizes)
    return { boxes: sizes.map((size, at) => ({ ...size, ...(places[at] ?? { x: 0, y: 0 }) })), placer }
  }

  it('are in view and clear of the bars when they fit', () => {
    const { boxes, placer } = filled(ofHeights(MIXED))
    expect(placer.view).toEqual(VIEW)
    const bars = barsOf(SCREEN, 'corner', 1)
    expect(boxes.filter((box) => bars.some((bar) => touches(box, bar, BAR_GAP)))).toEqual([])
    expect(boxes.every((box) => isSeen(box, { x: 50, y: 50, width: 1340, height: 800 }))).toBe(true)
    expect(tooClose(boxes)).toBe(0)
  })

  it('are in view when they fit only in another order', () => {
    // The last of these comes under another in the order of the beam, and is as high as the view allows.
    const { boxes, placer } = filled(ofHeights([100, 100, 100, 100, 100, 500]))
    expect(placer.view).toEqual(VIEW)
    expect(boxes.every((box) => isSeen(box, VIEW))).toBe(true)
    expect(tooClose(boxes)).toBe(0)
  })

  it('are in the middle when they are few', () => {
    expect(filled([NOTE]).boxes.map(middle)).toEqual([{ x: 720, y: 434 }])
    expect(filled([NOTE, NOTE]).boxes).toEqual([
      { ...NOTE, x: 450, y: 374 },
      { ...NOTE, x: 734, y: 374 },
    ])
  })

  it('end at the newest when they do not fit, and cover none of each other', () => {
    fc.assert(
      fc.property(heights, fc.constantFrom('corner', 'large'), (all, code) => {
        const { boxes, placer } = filled(ofHeights(all), ground([], code))
        expect(tooClose(boxes)).toBe(0)
        const newest = boxes.at(-1)
        expect(newest && isSeen(newest, placer.view)).toBe(true)
        expect(new Set(boxes.map(({ x }) => x)).size).toBe(code === 'corner' ? 4 : 2)
      }),
      { numRuns: 30 },
    )
  })

  it('exist on a window that has no room at all', () => {
    const { boxes } = filled(ofHeights(MIXED), ground([], 'corner', { width: 200, height: 120 }))
    expect(tooClose(boxes)).toBe(0)
  })
})

describe('the place of dropped notes', () => {
  it('is under the pointer, and a block from there for several', () => {
    const boxes = new Placer(ground(), seeded(1)).placeAt({ x: 700, y: 300 }, Array(4).fill(NOTE))
    expect(boxes).toEqual([
      { x: 572, y: 240 },
      { x: 856, y: 240 },
      { x: 572, y: 388 },
      { x: 856, y: 388 },
    ])
  })

  it('is the nearest free one when another note is there', () => {
    const other = { x: 560, y: 200, width: 256, height: 200 }
    const [at] = new Placer({ view: VIEW, bars: [], notes: [other] }, seeded(1)).placeAt({ x: 700, y: 230 }, [
      NOTE,
    ])
    if (!at) throw new Error('no place')
    expect(touches({ ...at, ...NOTE }, other, NOTE_GAP)).toBe(false)
    // Above it.
    expect(at.y).toBeGreaterThan(40)
    expect(at.y).toBeLessThan(60)
  })

  it('covers none of sixty others', () => {
    const placer = new Placer(ground(), seeded(4))
    const boxes = placedBy(placer, Array(60).fill(NOTE))
    const dropped = placer.placeAt({ x: 720, y: 400 }, Array(20).fill(NOTE))
    expect(tooClose([...boxes, ...dropped.map((at) => ({ ...at, ...NOTE }))])).toBe(0)
  })
})

describe('a note that grows', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'] as [ItemId, ItemId, ItemId, ItemId]
  const notes = new Map<ItemId, Box>([
    [a, { x: 0, y: 0, width: 256, height: 300 }],
    [b, { x: 0, y: 228, width: 256, height: 100 }],
    [c, { x: 284, y: 228, width: 256, height: 100 }],
    [d, { x: 0, y: 356, width: 256, height: 100 }],
  ])

  it('pushes the rows below it down', () => {
    const pushed = pushedDown(a, notes, new Set([a, b, c, d]))
    expect([...pushed]).toEqual([
      [b, { x: 0, y: 328 }],
      [c, { x: 284, y: 328 }],
      [d, { x: 0, y: 456 }],
    ])
  })

  it('keeps the gap to the rows below it', () => {
    const little = new Map([...notes, [a, { x: 0, y: 0, width: 256, height: 201 }] as const])
    expect(pushedDown(a, little, new Set([b, c, d])).get(b)).toEqual({ x: 0, y: 229 })
    const none = new Map([...notes, [a, { x: 0, y: 0, width: 256, height: 200 }] as const])
    expect(pushedDown(a, none, new Set([b, c, d]))).toEqual(new Map())
  })

  it('pushes what would come beside it without a gap, unless somebody has put it there', () => {
    const diagonal = new Map<ItemId, Box>([
      [a, { x: 0, y: 0, width: 256, height: 300 }],
      [b, { x: 258, y: 228, width: 256, height: 100 }],
    ])
    expect(pushedDown(a, diagonal, new Set([a, b])).get(b)).toEqual({ x: 258, y: 328 })
    expect(pushedDown(a, diagonal, new Set([b]))).toEqual(new Map())
  })

  it('pushes what a row comes upon that moves with another', () => {
    // Below the neighbour of the note that is pushed, and not below the one that grows.
    const tall = { x: 284, y: 356, width: 256, height: 400 }
    const pushed = pushedDown(a, new Map([...notes, [d, tall]]), new Set([b, c, d]))
    expect(pushed.get(d)).toEqual({ x: 284, y: 456 })
  })

  function grows(boxes: Map<ItemId, Box>, id: ItemId, more: number): void {
    const resize = (one: ItemId, change: (box: Box) => Box) => {
      const box = boxes.get(one)
      if (box) boxes.set(one, change(box))
    }
    resize(id, (box) => ({ ...box, height: box.height + more }))
    for (const [one, at] of pushedDown(id, boxes, new Set(boxes.keys())))
      resize(one, (box) => ({ ...box, ...at }))
  }

  it('leaves room for all sixty, whichever grow', () => {
    const grown = fc.array(fc.tuple(fc.nat(59), fc.integer({ min: 1, max: 600 })), { maxLength: 8 })
    fc.assert(
      fc.property(heights, grown, seeds, fc.boolean(), (all, growing, random, isBlock) => {
        const placer = new Placer(ground(), random)
        const sizes = all.map((height) => ({ width: 256, height }))
        const places = isBlock ? placer.fill(sizes) : sizes.map((size) => placer.place(size, true))
        const boxes = new Map(
          places.map((at, index) => [`${index}` as ItemId, { ...at, width: 256, height: all[index] ?? 0 }]),
        )
        for (const [index, more] of growing) grows(boxes, `${index}` as ItemId, more)
        expect(tooClose([...boxes.values()])).toBe(0)
      }),
      { numRuns: 30 },
    )
  })

  it('never moves what somebody has put where it is', () => {
    expect(pushedDown(a, notes, new Set([a, d]))).toEqual(new Map())
  })
})
