import { expect, test } from 'vitest'
import { reduceToasts, type Toast } from './toasts'

const shown = (...toasts: Toast[]) =>
  toasts
    .reduce((state, toast) => reduceToasts(state, { type: 'shown', toast }), {
      toasts: [] as readonly Toast[],
    })
    .toasts.map(({ text }) => text)

const news = (id: number): Toast => ({ id, tone: 'ok', text: `news ${id}` })
const asking = (id: number): Toast => ({
  id,
  tone: 'info',
  text: `asks ${id}`,
  action: { label: 'Undo', run: () => {} },
})

test('three toasts are shown at most, the newest last', () => {
  expect(shown(news(1), news(2), news(3), news(4))).toEqual(['news 2', 'news 3', 'news 4'])
})

test('news does not take the place of a toast that offers an action', () => {
  expect(shown(asking(1), news(2), news(3), news(4), news(5))).toEqual(['asks 1', 'news 4', 'news 5'])
})

test('what a toast tells of may come further, until the toast goes', () => {
  const first = { toasts: [news(1), news(2)] }
  const further = reduceToasts(first, { type: 'changed', id: 1, text: 'more' })
  expect(further.toasts.map(({ text }) => text)).toEqual(['more', 'news 2'])
  const gone = reduceToasts(further, { type: 'dismissed', id: 1 })
  expect(reduceToasts(gone, { type: 'changed', id: 1, text: 'late' })).toEqual(gone)
})

test('where all offer an action, the oldest goes', () => {
  expect(shown(asking(1), asking(2), asking(3), news(4))).toEqual(['asks 2', 'asks 3', 'news 4'])
})

test('a text that is shown again takes the place of the older toast with it', () => {
  expect(shown(news(1), news(2), { ...news(1), id: 3 })).toEqual(['news 2', 'news 1'])
})
