/**
 * A rough estimate of a password's strength, by its length, its kinds of characters, and a list of common passwords.
 */

export type Strength = 'none' | 'common' | 'weak' | 'fair' | 'good' | 'strong'

/** The most common passwords, in lower case. */
const COMMON = new Set(
  (
    '123456 1234567 12345678 123456789 1234567890 123123 111111 000000 654321 666666 121212 112233 password password1 ' +
    'password123 passw0rd qwerty qwerty123 qwertyuiop 1q2w3e4r asdfgh asdfghjkl zxcvbn zxcvbnm abc123 abcdef iloveyou ' +
    'letmein welcome admin admin123 monkey dragon sunshine princess football baseball superman batman trustno1 master ' +
    'shadow michael jordan hunter2 starwars whatever freedom secret login google changeme test123 heliograph'
  ).split(' '),
)

const KINDS = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/]

/** Returns the level that the meter shows. */
export function strengthOf(password: string): Strength {
  if (password === '') return 'none'
  if (COMMON.has(password.toLowerCase()) || /^(.)\1*$/.test(password)) return 'common'
  const kinds = KINDS.filter((kind) => kind.test(password)).length
  const score = password.length + 2 * (kinds - 1)
  if (score < 9) return 'weak'
  if (score < 12) return 'fair'
  return score < 16 ? 'good' : 'strong'
}
