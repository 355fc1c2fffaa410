import { describe, expect, it } from 'vitest'
import { failureText } from './failure-text'

describe('the sentence for a failed transfer', () => {
  it('names how much this browser can keep', () => {
    const mostBytes = 256 * 1024 * 1024
    expect(failureText({ reason: 'tooLarge', mostBytes })).toContain('only receive files up to 256 MB here')
    expect(failureText({ reason: 'memoryFull', mostBytes })).toContain('only keep 256 MB of received files')
  })

  it('is the browser’s own for an error that the page does not know', () => {
    expect(failureText({ reason: 'other', message: 'The disk was removed.' })).toBe('The disk was removed.')
  })
})
