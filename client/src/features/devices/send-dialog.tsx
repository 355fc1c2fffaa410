import { t } from '@lingui/core/macro'
import Paperclip from 'lucide-react/icons/paperclip'
import { useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Device } from '../../protocol/bindings'
import { deviceName } from '../../stores/devices'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { useApp } from '../actions'
import { useOwnDrops } from '../files/use-own-drops'
import css from './send-dialog.module.css'

/** Sends a text or files to one device, which nobody else in the beam gets. */
export function SendDialog({ to, onClose }: { to: Device; onClose: () => void }) {
  const { stores, actions } = useApp()
  const name = useStore(stores.devices, (state) => deviceName(state, to.device_id))
  const [text, setText] = useState('')
  const files = useRef<HTMLInputElement>(null)
  const takesFiles = to.caps.includes('files')
  const send = (chosen: readonly File[]) => {
    actions.shareFiles(chosen, { to: to.device_id })
    onClose()
  }
  const isOver = useOwnDrops(files, takesFiles ? { to: to.device_id } : null, onClose)
  return (
    <Dialog
      title={t`Send to ${name}`}
      sub={t`Nobody else gets it. The server forgets it when everybody has left.`}
      place="upper"
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (actions.shareText(text, { to: to.device_id })) onClose()
        }}
      >
        <textarea
          ref={(field) => field?.focus()}
          className={css.field}
          rows={3}
          dir="auto"
          aria-label={t`Message to ${name}`}
          data-over={isOver || undefined}
          placeholder={isOver ? t`Drop to send to ${name}` : t`Type a message`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <input
          ref={files}
          type="file"
          multiple
          hidden
          aria-label={t`Files to ${name}`}
          onChange={(event) => {
            const chosen = [...(event.currentTarget.files ?? [])]
            if (chosen.length > 0) send(chosen)
          }}
        />
        <DialogFoot>
          {takesFiles && (
            <Button look="quiet" icon={Paperclip} onClick={() => files.current?.click()}>
              {t`Files`}
            </Button>
          )}
          <Button look="primary" type="submit" disabled={text.trim() === ''}>
            {t`Send`}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
