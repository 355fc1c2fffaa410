import { t } from '@lingui/core/macro'
import Bookmark from 'lucide-react/icons/bookmark'
import { Suspense, useState } from 'react'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'
import { useHasItems, useSession } from '../session/beam'
import css from './save-button.module.css'

const SaveDialog = lazyPart(
  () => import('./save-dialog'),
  (m) => m.SaveDialog,
)

/**
 * Saves the beam to the account. Shown to a person with a login once there are notes; replaced by the name once saved.
 */
export function SaveButton() {
  const { stores } = useApp()
  const [open, setOpen] = useState(false)
  const canSave = useCanSave()
  const savedName = useStore(stores.access, (state) =>
    state.kind === 'saved' ? state.saved.beam_name : null,
  )
  if (savedName !== null) return <SavedName name={savedName} />
  if (!canSave) return null
  return (
    <>
      <Button size="sm" icon={Bookmark} onClick={() => setOpen(true)}>
        {t`Save`}
      </Button>
      <Suspense>{open && <SaveDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

/** The name of the saved beam, in place of the button. */
function SavedName({ name }: { name: string }) {
  return (
    <span className={css.saved} title={t`Saved as ${name}`}>
      <Icon of={Bookmark} size={16} />
      <span className="visually-hidden">{t`Saved as ${name}`}</span>
      <span className={css.name} dir="auto" aria-hidden="true">
        {name}
      </span>
    </span>
  )
}

function useCanSave(): boolean {
  const hasItems = useHasItems()
  const isLoggedIn = useStore(useApp().stores.account, (state) => state.status === 'authenticated')
  const session = useSession()
  return hasItems && isLoggedIn && session !== null && session.beamName === ''
}
