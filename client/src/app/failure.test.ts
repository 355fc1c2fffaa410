import { expect, it } from 'vitest'
import { failureOf } from './failure'

it.each([
  'Failed to fetch dynamically imported module: https://a.example/assets/scanner-abc.js',
  'error loading dynamically imported module: https://a.example/assets/scanner-abc.js',
  'Importing a module script failed.',
  'Unable to preload CSS for /assets/scanner-abc.css',
])('%j is a part that did not come', (message) => {
  expect(failureOf(new TypeError(message))).toBe('part')
})

it('any other error is a failure of the page', () => {
  expect(failureOf(new TypeError('x is undefined'))).toBe('page')
  expect(failureOf('a string')).toBe('page')
})
