import { t } from '@lingui/core/macro'
import type { ReactNode } from 'react'
import { Mark } from '../../ui/mark'
import { SaveButton } from '../save/save-button'
import { useSavedName } from '../session/beam'
import { Brand } from '../session/brand'
import { isShared, useStage } from './stage'
import css from './title-bar.module.css'

/**
 * Top left of the desktop home: the name of a saved beam. Of another one, the product's name while alone, then the page's
 * title; and Save, once there are notes.
 */
export function TitleBar() {
  const shared = isShared(useStage())
  const savedName = useSavedName()
  if (savedName !== null) {
    return (
      <Title>
        <h1 className={css.name} dir="auto" title={t`Saved as ${savedName}`}>
          {savedName}
        </h1>
        {shared ? <h2>{t`Start Sharing`}</h2> : <p>{t`Saved beam`}</p>}
      </Title>
    )
  }
  if (!shared) {
    return (
      <div className={css.alone}>
        <Brand />
        <SaveButton />
      </div>
    )
  }
  return (
    <Title after={<SaveButton />}>
      <h1>{t`Start Sharing`}</h1>
      <p>{t`Share Clipboards / Links / Pictures / Videos`}</p>
    </Title>
  )
}

function Title({ children, after }: { children: ReactNode; after?: ReactNode }) {
  return (
    <div className={css.title}>
      <Mark />
      <div className={css.words}>{children}</div>
      {after}
    </div>
  )
}
