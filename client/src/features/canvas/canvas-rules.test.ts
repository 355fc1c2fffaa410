import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { parseContent } from '../../protocol/item'
import { centredOn, visibleBox, zoomed } from './camera'
import { commandOf, keysOf, SHORTCUT_GROUPS } from './commands'
import { draw, MOST_DRAWN } from './drawn-notes'
import { type Box, middle } from './geometry'
import { fromMap, MAP, mapOrigin, onMap } from './minimap-scale'
import { neighbour } from './neighbours'
import { nearest, pointerTo, stillUnseen } from './newcomers'
import { expectedHeight } from './note-size'
import { readingOrder } from './reading-order'
import { afterFrame, afterPress, aimedAt, draggedWith } from './selection'

const SCREEN = { width: 1440, height: 900 }
const ids = (...names: string[]) => names as ItemId[]
const [a, b, c] = ids('a', 'b', 'c') as [ItemId, ItemId, ItemId]
const box = (x: number, y: number): Box => ({ x, y, width: 256, height: 200 })

describe('the map', () => {
  const camera = { x: 300, y: -200, zoom: 1 }

  it('has the view in its middle at one fiftieth, at every zoom', () => {
    for (const factor of [1, 0.5, 2]) {
      const view = zoomed(camera, factor, { x: 0, y: 0 })
      const frame = onMap(visibleBox(view, SCREEN), mapOrigin(view, SCREEN))
      expect(middle(frame)).toEqual({ x: MAP.width / 2, y: MAP.height / 2 })
      expect(frame.width).toBeCloseTo(1440 / view.zoom / 50)
      expect(frame.height).toBeCloseTo(900 / view.zoom / 50)
    }
  })

  it('moves the view to the pressed point', () => {
    const at = fromMap({ x: 74, y: 48 }, mapOrigin(camera, SCREEN))
    const there = middle(visibleBox(centredOn(camera, at, SCREEN), SCREEN))
    const here = middle(visibleBox(camera, SCREEN))
    expect(there.x - here.x).toBeCloseTo(500)
    expect(there.y - here.y).toBeCloseTo(0)
  })
})

describe('the selection', () => {
  it('is cleared by a plain press, on the ground or on a note', () => {
    for (const note of [null, a]) {
      expect(afterPress(new Set([a, b]), { note, shift: false, focused: null })).toEqual(new Set())
    }
  })

  it('adds and removes a note with Shift', () => {
    expect(afterPress(new Set([a]), { note: b, shift: true, focused: null })).toEqual(new Set([a, b]))
    expect(afterPress(new Set([a, b]), { note: b, shift: true, focused: null })).toEqual(new Set([a]))
  })

  it('begins with the note that has the focus', () => {
    expect(afterPress(new Set(), { note: b, shift: true, focused: a })).toEqual(new Set([a, b]))
    expect(afterPress(new Set(), { note: b, shift: true, focused: b })).toEqual(new Set([b]))
  })

  it('grows by what a frame touches', () => {
    const notes = [[a, box(0, 0)] as const, [b, box(1000, 0)] as const]
    expect(afterFrame(new Set([c]), { x: -10, y: -10, width: 20, height: 20 }, notes)).toEqual(
      new Set([c, a]),
    )
  })

  it('is affected by keys, unless the focus is on another note', () => {
    expect(aimedAt(new Set([a, b]), a)).toEqual([a, b])
    expect(aimedAt(new Set([a, b]), null)).toEqual([a, b])
    expect(aimedAt(new Set([a, b]), c)).toEqual([c])
    expect(draggedWith(new Set([a, b]), b)).toEqual([a, b])
    expect(draggedWith(new Set([a, b]), c)).toEqual([c])
  })
})

describe('the order of reading', () => {
  it('is line by line, even if the notes of a line differ a little in height', () => {
    const order = readingOrder([
      ['right', { x: 700, y: 110 }],
      ['below', { x: 50, y: 420 }],
      ['left', { x: 60, y: 150 }],
    ])
    expect(order).toEqual(['left', 'right', 'below'])
  })

  it('has every note once', () => {
    const places = fc.array(fc.record({ x: fc.integer(), y: fc.integer() }))
    fc.assert(
      fc.property(places, (points) => {
        const order = readingOrder(points.map((point, at) => [at, point] as const))
        expect(order.toSorted((x, y) => x - y)).toEqual(points.map((_, at) => at))
      }),
    )
  })
})

describe('new notes outside of the view', () => {
  const view = { x: 0, y: 0, ...SCREEN }

  it('are announced until they are shown or removed', () => {
    const boxes = new Map([
      [a, box(100, 100)],
      [b, box(3000, 100)],
    ])
    expect(stillUnseen(new Set([a, b, c]), view, (id) => boxes.get(id))).toEqual(new Set([b]))
  })

  it('are pointed to at the edge, inside of the bars', () => {
    const insets = { top: 100, right: 80, bottom: 150, left: 80 }
    const right = pointerTo({ x: 5000, y: 425 }, SCREEN, insets)
    expect(right.x).toBeCloseTo(1360)
    expect(right.angle).toBeCloseTo(0)
    const above = pointerTo({ x: 720, y: -900 }, SCREEN, insets)
    expect(above.y).toBeCloseTo(100)
    expect(above.angle).toBeCloseTo(-90)
    expect(nearest([box(5000, 0), box(1500, 0)], view)).toEqual(box(1500, 0))
  })
})

describe('the notes that are drawn', () => {
  const view = { x: 0, y: 0, ...SCREEN }
  const options = { atOnce: false, isBusy: () => false }
  const row = (count: number, y = 0) =>
    Array.from({ length: count }, (_, at) => [`${y} ${at}` as ItemId, box(at * 300, y)] as const)

  it('are all of them while they are few', () => {
    const { drawn } = draw(new Set(), view, row(50), { ...options, atOnce: true })
    expect(drawn.size).toBe(50)
  })

  it('are those near the view when they are many, a few in each frame', () => {
    const many = row(500)
    let drawing = draw(new Set(), view, many, options)
    expect(drawing.drawn.size).toBe(4)
    for (let frame = 0; drawing.goesOn && frame < 100; frame += 1)
      drawing = draw(drawing.drawn, view, many, options)
    expect(drawing.drawn.size).toBe(6)
  })

  it('stay few, however far the view has moved', () => {
    const many = row(500)
    let drawn: ReadonlySet<ItemId> = new Set()
    for (let x = 0; x < 150_000; x += 600)
      drawn = draw(drawn, { ...view, x }, many, { ...options, atOnce: true }).drawn
    expect(drawn.size).toBeLessThanOrEqual(MOST_DRAWN)
  })

  it('include those that play or have the focus', () => {
    const many = row(500)
    const first = draw(new Set(), view, many, { ...options, atOnce: true }).drawn
    const [kept] = first
    if (!kept) throw new Error('nothing is drawn')
    let drawn = first
    for (let x = 0; x < 150_000; x += 600) {
      drawn = draw(drawn, { ...view, x }, many, { atOnce: true, isBusy: (id) => id === kept }).drawn
    }
    expect(drawn.has(kept)).toBe(true)
  })

  it('are none when more than that are in view at once: those are plates', () => {
    const dense = Array.from({ length: 400 }, (_, at) => [`${at}` as ItemId, box(at, at)] as const)
    expect(draw(new Set(), view, dense, options)).toEqual({ drawn: new Set(), goesOn: false })
  })
})

describe('keys', () => {
  const key = (name: string, over = {}) =>
    commandOf({
      key: name,
      code: '',
      shiftKey: false,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      ...over,
    })

  it('of arrows go to the next note, and with Ctrl move this one by 10 px, with Shift too by 50', () => {
    expect(key('ArrowLeft')).toEqual({ do: 'go', to: { x: -1, y: 0 } })
    expect(key('ArrowLeft', { ctrlKey: true })).toEqual({ do: 'move', by: { x: -10, y: 0 } })
    expect(key('ArrowDown', { ctrlKey: true, shiftKey: true })).toEqual({ do: 'move', by: { x: 0, y: 50 } })
  })

  it.each([
    ['Delete', {}, 'delete'],
    ['Escape', {}, 'escape'],
    ['a', { ctrlKey: true }, 'select-all'],
    ['c', { metaKey: true }, 'copy'],
    ['z', { ctrlKey: true }, 'undo'],
    ['Z', { ctrlKey: true, shiftKey: true }, 'redo'],
    ['y', { ctrlKey: true }, 'redo'],
    ['я', { code: 'KeyZ', ctrlKey: true }, 'undo'],
    ['ש', { code: 'KeyA', ctrlKey: true }, 'select-all'],
    ['+', { shiftKey: true }, 'zoom-in'],
    ['?', { shiftKey: true }, 'help'],
    ['x', {}, 'pick'],
  ])('%s %j mean %s', (name, over, command) => expect(key(name, over)?.do).toBe(command))

  it('of the browser are not handled', () => {
    expect(key('ArrowLeft', { altKey: true })).toBeNull()
    expect(key('0', { ctrlKey: true })).toBeNull()
    expect(key('r', { ctrlKey: true })).toBeNull()
    expect(key('q')).toBeNull()
  })

  it('are all in the help, each once', () => {
    const shortcuts = SHORTCUT_GROUPS.flatMap((group) => group.shortcuts)
    const names = shortcuts.flatMap(({ commands }) => Object.keys(commands))
    expect(new Set(names).size).toBe(names.length)
    expect(shortcuts.every((shortcut) => keysOf(shortcut).length > 0)).toBe(true)
  })
})

describe('the note that way', () => {
  const notes = [
    [a, box(0, 0)],
    [b, box(300, 20)],
    [c, box(0, 300)],
  ] as const
  const from = (id: ItemId) => notes.find(([one]) => one === id)?.[1] ?? box(0, 0)

  it('is the nearest ahead', () => {
    expect(neighbour(from(a), { x: 1, y: 0 }, notes)).toBe(b)
    expect(neighbour(from(a), { x: 0, y: 1 }, notes)).toBe(c)
    expect(neighbour(from(b), { x: -1, y: 0 }, notes)).toBe(a)
    expect(neighbour(from(a), { x: 0, y: -1 }, notes)).toBeUndefined()
  })
})

describe('the height that a note is expected to have', () => {
  const picture = parseContent({ file: { name: 'a.png', size: 1, type: 'image/png' } }, 'image')

  it('is the measured one', () => {
    expect(expectedHeight(parseContent('Milk', 'text'), 81)).toBe(81)
  })

  it('is at least that of a picture for one that has not loaded', () => {
    expect(expectedHeight(picture, 120)).toBe(250)
    expect(expectedHeight(picture, 380)).toBe(380)
  })

  it('is 200 px before a note is drawn, and more for long texts', () => {
    expect(expectedHeight(parseContent('Milk', 'text'), 0)).toBe(200)
    expect(expectedHeight(parseContent('x'.repeat(5000), 'text'), 0)).toBe(354)
    expect(expectedHeight(picture, 0)).toBe(250)
  })
})
