import { expect, it } from 'vitest'
import { digestOf } from './digest'

// FIPS 180-2, appendix B.1.
it('a text has the digest of SHA-256', async () => {
  expect(await digestOf('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
})
