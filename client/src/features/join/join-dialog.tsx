import ClipboardPaste from 'lucide-react/icons/clipboard-paste'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { useApp } from '../actions'
import { hasCameras } from '../scanner/camera'
import { ScanButton } from '../scanner/scan-button'
import css from './join-dialog.module.css'
import { joinHint } from './join-hint'

const CLOSED_CLIPBOARD = 'The browser does not allow reading the clipboard here. Paste into the field.'

/** The Join Beam dialog. It joins as soon as the field contains a whole id. */
export function JoinDialog({ onClose }: { onClose: () => void }) {
  const { actions } = useApp()
  const [text, setText] = useState('')
  const [refused, setRefused] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const enter = (next: string) => {
    setText(next)
    setRefused(false)
    if (actions.joinBeam(next)) onClose()
  }
  const paste = async () => {
    try {
      enter(await navigator.clipboard.readText())
    } catch {
      // Not allowed, or not a page on https: the person can still paste by hand.
      setRefused(true)
    }
    field.current?.focus()
  }
  const hint = joinHint(text)
  return (
    <Dialog title="Join Beam" sub="Joins as soon as the id is complete." place="upper" onClose={onClose}>
      <form className={css.form} onSubmit={(event) => event.preventDefault()}>
        <Field
          ref={field}
          label="Enter Beam ID"
          value={text}
          onChange={(event) => enter(event.currentTarget.value)}
          hint={refused ? CLOSED_CLIPBOARD : hint.text}
          error={hint.kind === 'error' ? hint.text : null}
          mono
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <div className={css.buttons}>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="soft" icon={ClipboardPaste} onClick={() => void paste()}>
            Paste
          </Button>
          {hasCameras() && <ScanButton look="quiet" size="md" onJoined={onClose} />}
        </div>
      </form>
    </Dialog>
  )
}
