import { plural, t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { useApp } from '../actions'
import css from './missing-notice.module.css'

export function useMissing(): number {
  return useStore(useApp().stores.missing, ({ count }) => count)
}

export function missingWords(count: number): string {
  return plural(count, { one: '# item missing', other: '# items missing' })
}

/** Says that the server has kept something from this device that another one has, and lets a person try again. */
export function MissingNotice() {
  const { actions } = useApp()
  const count = useMissing()
  if (count === 0) return null
  return (
    <section className={css.notice} role="status">
      <h3>{missingWords(count)}</h3>
      <p>{t`The server gave another device items, or newer versions of items, that it has not given to this one.`}</p>
      <Button size="sm" onClick={() => actions.lookForMissing()}>
        {t`Try again`}
      </Button>
    </section>
  )
}
