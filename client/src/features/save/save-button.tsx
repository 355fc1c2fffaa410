import Bookmark from 'lucide-react/icons/bookmark'
import { lazy, Suspense, useState } from 'react'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { useHouse } from '../actions'
import { useHasItems, useSession } from '../session/beam'

const SaveDialog = lazy(() => import('./save-dialog').then((m) => ({ default: m.SaveDialog })))

/** Keeps the beam in the account: for somebody logged in, once there are notes, until it has a name. */
export function SaveButton() {
  const [open, setOpen] = useState(false)
  const canSave = useCanSave()
  if (!canSave) return null
  return (
    <>
      <Button size="sm" icon={Bookmark} onClick={() => setOpen(true)}>
        Save
      </Button>
      <Suspense>{open && <SaveDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

function useCanSave(): boolean {
  const hasItems = useHasItems()
  const isLoggedIn = useStore(useHouse().stores.account, (state) => state.status === 'authenticated')
  const session = useSession()
  return hasItems && isLoggedIn && session !== null && session.beamName === ''
}
