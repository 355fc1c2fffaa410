import { t } from '@lingui/core/macro'
import Clock from 'lucide-react/icons/clock'
import X from 'lucide-react/icons/x'
import { useId } from 'react'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Icon } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { useDeviceCount, useHasItems } from '../session/beam'
import css from './keep-card.module.css'

/** Asks whether the server shall keep what is here, while nobody else is here to take it. */
export function KeepCard({ place }: { place: 'canvas' | 'list' }) {
  const { actions, stores } = useApp()
  const heading = useId()
  const isSealed = useStore(stores.encryption, ({ kind }) => kind === 'sealed')
  if (!useIsOffered()) return null
  return (
    <section className={cx(css.card, css[place])} aria-labelledby={heading}>
      <Icon of={Clock} size={20} />
      <div className={css.words}>
        <h2 id={heading}>{t`No other device is here`}</h2>
        <p>{isSealed ? t`Keep it for 1 h / 24 h, encrypted` : t`Keep it for 1 h / 24 h`}</p>
      </div>
      <div className={css.times}>
        <Button look="soft" aria-label={t`Keep it for 1 h`} onClick={() => actions.keepBeam('1h')}>
          {t`1 h`}
        </Button>
        <Button look="soft" aria-label={t`Keep it for 24 h`} onClick={() => actions.keepBeam('24h')}>
          {t`24 h`}
        </Button>
      </div>
      <IconButton
        icon={X}
        label={t`Do not keep it`}
        className={css.cross}
        onClick={() => actions.declineKeeping()}
      />
    </section>
  )
}

/** Whether something would be lost when this device leaves, and the person has not answered yet. */
function useIsOffered(): boolean {
  const { access, connection, keeping } = useApp().stores
  const isAlone = useDeviceCount() === 1
  const hasItems = useHasItems()
  const isUnsaved = useStore(access, ({ kind }) => kind === 'unsaved')
  const isLive = useStore(connection, ({ status }) => status === 'live')
  const isOpen = useStore(keeping, ({ kept, isDeclined }) => kept === null && !isDeclined)
  return isAlone && hasItems && isUnsaved && isLive && isOpen
}
