import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import css from './password-meter.module.css'
import { type Strength, strengthOf } from './password-strength'

const BARS: readonly Strength[] = ['weak', 'fair', 'good', 'strong']

const WORDS: Readonly<Record<Exclude<Strength, 'none'>, MessageDescriptor>> = {
  common: msg`Very common: easy to guess`,
  weak: msg`Weak`,
  fair: msg`Fair`,
  good: msg`Good`,
  strong: msg`Strong`,
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
        <span className="visually-hidden">{t`Password strength:`} </span>
        {i18n._(WORDS[strength])}
      </span>
    </div>
  )
}
