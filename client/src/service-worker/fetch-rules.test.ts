import { describe, expect, it } from 'vitest'
import { type Asked, handlingOf, isWorthKeeping, surplus } from './fetch-rules'

const asked: Asked = { method: 'GET', path: '/', isOurs: true, isNavigation: false }

describe('the service worker', () => {
  it.each<[string, Partial<Asked>]>([
    ['calls', { path: '/api/beams/create/' }],
    ['a file that is opened in a tab', { path: '/api/files/a', isNavigation: true }],
    ['the live channel', { path: '/ws/beam/7c9e6679-7425-40de-944b-e07fc1f90ae7/' }],
    ['the state of the server', { path: '/healthz', isNavigation: true }],
    ['other servers', { path: '/assets/a.js', isOurs: false }],
    ['what is sent', { method: 'POST', path: '/' }],
    ['what it does not know', { path: '/a/b' }],
  ])('never touches %s', (_what, change) => {
    expect(handlingOf({ ...asked, ...change })).toBe('network')
  })

  it.each<[string, Partial<Asked>]>([
    ['page', { path: '/space', isNavigation: true }],
    ['page', { path: '/apiary', isNavigation: true }],
    ['asset', { path: '/assets/index-abc.js' }],
    ['picture', { path: '/icon-192.png' }],
    ['picture', { path: '/manifest.webmanifest' }],
    ['share', { method: 'POST', path: '/share', isNavigation: true }],
  ])('handles a %s as such', (handling, change) => {
    expect(handlingOf({ ...asked, ...change })).toBe(handling)
  })

  it('keeps a page as a page and nothing else as one', () => {
    expect(isWorthKeeping('page', true, 'text/html; charset=utf-8')).toBe(true)
    expect(isWorthKeeping('page', false, 'text/html')).toBe(false)
    expect(isWorthKeeping('page', true, 'application/json')).toBe(false)
    expect(isWorthKeeping('asset', true, 'text/javascript')).toBe(true)
    expect(isWorthKeeping('asset', true, 'text/html')).toBe(false)
    expect(isWorthKeeping('asset', true, null)).toBe(true)
  })

  it('forgets the oldest assets when there are too many', () => {
    const kept = Array.from({ length: 203 }, (_, index) => index)
    expect(surplus(kept)).toEqual([0, 1, 2])
    expect(surplus(kept.slice(0, 200))).toEqual([])
  })
})
