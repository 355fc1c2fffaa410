import { t } from '@lingui/core/macro'
import X from 'lucide-react/icons/x'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import css from './save-place-row.module.css'

/** Where this device saves what it receives, and the buttons to change that. Only browsers that can keep a folder have it. */
export function SavePlaceRow() {
  const { stores, actions } = useApp()
  const place = useStore(stores.savePlace)
  if (place.status === 'unsupported') return null
  const isKept = place.status === 'kept'
  return (
    <section className={css.row} aria-label={t`Folder for saved files`}>
      <div className={css.words}>
        {t`Folder for saved files`}
        <bdi className={css.hint}>{isKept ? place.name : t`The browser’s downloads`}</bdi>
      </div>
      <Button look="quiet" size="sm" onClick={() => void actions.chooseSavePlace()}>
        {isKept ? t`Change` : t`Choose…`}
      </Button>
      {isKept && (
        <IconButton
          icon={X}
          label={t`Use the browser’s downloads`}
          look="small"
          iconSize={16}
          onClick={() => void actions.forgetSavePlace()}
        />
      )}
    </section>
  )
}
