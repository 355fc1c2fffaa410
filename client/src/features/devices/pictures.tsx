import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import css from './pictures.module.css'
import { SIGNS } from './signs'

/** Four pictures with their names, to be compared with those of another device. */
export function Pictures({ signs }: { signs: readonly number[] }) {
  return (
    <ul className={css.pictures} aria-label={t`Pictures to compare`}>
      {signs.map((place, at) => {
        const sign = SIGNS[place]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may come twice, and none moves.
          <li key={at} className={css.picture}>
            <span aria-hidden className={css.sign}>
              {sign?.picture}
            </span>
            {sign && i18n._(sign.name)}
          </li>
        )
      })}
    </ul>
  )
}
