import css from './password-meter.module.css'
import { type Strength, strengthOf } from './password-strength'

const BARS: readonly Strength[] = ['weak', 'fair', 'good', 'strong']

const WORDS: Readonly<Record<Strength, string>> = {
  none: '',
  common: 'Very common: easy to guess',
  weak: 'Weak',
  fair: 'Fair',
  good: 'Good',
  strong: 'Strong',
}

/** Shows the strength of a new password. It advises, and refuses none. */
export function PasswordMeter({ password }: { password: string }) {
  const strength = strengthOf(password)
  if (strength === 'none') return null
  const filled = strength === 'common' ? 1 : BARS.indexOf(strength) + 1
  return (
    <div className={css.meter} data-strength={strength}>
      <span className={css.bars} aria-hidden="true">
        {BARS.map((bar, index) => (
          <span key={bar} className={index < filled ? css.full : css.empty} />
        ))}
      </span>
      <span className={css.word} role="status">
        <span className="visually-hidden">Password strength: </span>
        {WORDS[strength]}
      </span>
    </div>
  )
}
