import { t } from '@lingui/core/macro'
import { useState } from 'react'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { type Screen, useApp } from '../actions'
import { sharePasted } from './paste-anywhere'
import css from './paste-dialog.module.css'

/** A field to paste into, where the page may not read the clipboard: on plain http, or without permission. */
export function PasteDialog({ screen, onClose }: { screen: Screen; onClose: () => void }) {
  const { actions } = useApp()
  const [text, setText] = useState('')
  return (
    <Dialog
      title={t`Paste`}
      sub={t`The browser does not let this page read the clipboard. Paste into the field.`}
      place="upper"
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          actions.pasteText(text, screen)
          onClose()
        }}
      >
        <textarea
          className={css.field}
          rows={4}
          dir="auto"
          aria-label={t`Paste here`}
          placeholder={t`Paste here`}
          value={text}
          // Keyboards of phones insert what is copied as if it were typed.
          onChange={(event) => setText(event.currentTarget.value)}
          onPaste={(event) => {
            event.preventDefault()
            sharePasted(event.clipboardData, actions, screen)
            onClose()
          }}
        />
        <DialogFoot>
          <Button look="quiet" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button look="primary" type="submit" disabled={text.trim() === ''}>
            {t`Share`}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
