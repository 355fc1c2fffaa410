import { t } from '@lingui/core/macro'
import { Suspense, useState } from 'react'
import { Button } from '../../ui/button'
import { lazyPart } from '../../ui/lazy-part'

const AboutDialog = lazyPart(
  () => import('./about-dialog'),
  (m) => m.AboutDialog,
)

/** Opens the About dialog, whose code is loaded on the first press. */
export function AboutButton({ look = 'plain' }: { look?: 'plain' | 'ghost' }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look={look} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t`Know More`}
      </Button>
      {open && (
        <Suspense>
          <AboutDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
