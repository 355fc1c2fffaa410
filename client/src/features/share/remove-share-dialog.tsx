import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { useState } from 'react'
import type { BeamShare } from '../../protocol/bindings'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Select } from '../../ui/select'
import { useApp } from '../actions'
import css from './remove-share-dialog.module.css'

/** What happens to the link when a share is removed. */
type LinkFate = 'stays' | 'renewed' | 'closed'

const FATES: readonly { value: LinkFate; label: MessageDescriptor }[] = [
  { value: 'stays', label: msg`Leave the link open` },
  { value: 'renewed', label: msg`Renew the link` },
  { value: 'closed', label: msg`Set the link to No Access` },
]

/** Asks before a share is removed. While the link lets the person in all the same, it says so and offers to end that. */
export function RemoveShareDialog({ share, onClose }: { share: BeamShare; onClose: () => void }) {
  const { beams } = useApp().actions
  const [fate, setFate] = useState<LinkFate>('stays')
  const { shared_with: name, beam } = share
  const fates = FATES.map(({ value, label }) => ({ value, label: i18n._(label) }))
  const remove = async () => {
    // The share goes first: whoever has one is told the new link.
    if (!(await beams.unshare(share))) return
    if (fate === 'renewed') await beams.renewLink(beam)
    if (fate === 'closed') await beams.setLinkAccess(beam, 'none')
  }
  return (
    <ConfirmDialog
      title={t`Remove Share`}
      question={t`Are you sure you want to remove access for ${name}?`}
      warning={t`This action cannot be undone`}
      action={t`Remove Share`}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      {beam.link_access !== 'none' && (
        <div className={css.open}>
          <p>
            {beam.link_access === 'write'
              ? t`Anyone with the link can still read and write here, so this does not stop ${name}.`
              : t`Anyone with the link can still read here, so this does not stop ${name}.`}
          </p>
          <Select<LinkFate> look="row" label={t`The link`} value={fate} options={fates} onChange={setFate} />
        </div>
      )}
    </ConfirmDialog>
  )
}
