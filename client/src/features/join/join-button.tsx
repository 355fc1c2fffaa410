import { t } from '@lingui/core/macro'
import { Suspense, useState } from 'react'
import { Button } from '../../ui/button'
import type { Glyph } from '../../ui/icon'
import { lazyPart } from '../../ui/lazy-part'

const JoinDialog = lazyPart(
  () => import('./join-dialog'),
  (m) => m.JoinDialog,
)

/** Opens the Join Beam dialog, whose code is loaded on the first press. */
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
        {t`Join Beam`}
      </Button>
      {open && (
        <Suspense>
          <JoinDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
