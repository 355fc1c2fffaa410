import { t } from '@lingui/core/macro'
import { Mark } from '../../ui/mark'
import { Forgotten } from '../keep/forgotten'
import { BeamButtons } from './hero'
import css from './nothing-yet.module.css'

/** Shown while other devices are here and nothing is shared yet. */
export function NothingYet() {
  return (
    <section className={css.empty}>
      <Mark size={40} />
      <h2>{t`Nothing shared yet`}</h2>
      <p>{t`Paste, type a message or drop a file. It is on the other device at once.`}</p>
      <Forgotten />
      <div className={css.buttons}>
        <BeamButtons />
      </div>
    </section>
  )
}
