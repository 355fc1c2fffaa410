import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/button'
import type { Glyph } from '../../ui/icon'

const JoinDialog = lazy(() => import('./join-dialog').then((m) => ({ default: m.JoinDialog })))

/** Opens the Join Beam dialog, which is loaded when it is asked for. */
export function JoinButton({
  look,
  size,
  icon,
}: {
  look: 'primary' | 'plain' | 'ghost'
  size: 'md' | 'lg'
  icon?: Glyph
}) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look={look} size={size} icon={icon} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Join Beam
      </Button>
      {open && (
        <Suspense>
          <JoinDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
