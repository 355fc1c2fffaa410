import { i18n } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import ClipboardPaste from 'lucide-react/icons/clipboard-paste'
import { useRef, useState } from 'react'
import { parseShortCode } from '../../protocol/short-code'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { useApp } from '../actions'
import { hasCameras } from '../scanner/camera'
import { ScanButton } from '../scanner/scan-button'
import css from './join-dialog.module.css'
import { joinHint } from './join-hint'

const CLOSED_CLIPBOARD = msg`The browser does not allow reading the clipboard here. Paste into the field.`

/** What was tried last. */
type Attempt =
  | { readonly status: 'none' }
  /** The server is asked which beam a short code stands for. */
  | { readonly status: 'asking' }
  | { readonly status: 'wrong'; readonly why: string }
  | { readonly status: 'clipboardClosed' }

/** The Join Beam dialog. It joins as soon as the field contains a whole id, or a short code. */
export function JoinDialog({ onJoined, onClose }: { onJoined?: () => void; onClose: () => void }) {
  const { actions } = useApp()
  const [text, setText] = useState('')
  const [attempt, setAttempt] = useState<Attempt>({ status: 'none' })
  const field = useRef<HTMLInputElement>(null)
  const newest = useRef('')
  const joined = () => {
    onJoined?.()
    onClose()
  }
  const enter = async (next: string) => {
    newest.current = next
    setText(next)
    setAttempt({ status: 'none' })
    if (actions.joinBeam(next)) return joined()
    const code = parseShortCode(next)
    if (!code) return
    setAttempt({ status: 'asking' })
    const found = await actions.findByCode(code)
    // Meanwhile the person may have typed on, or closed the dialog.
    if (newest.current !== next || !field.current) return
    if ('why' in found) return setAttempt({ status: 'wrong', why: found.why })
    actions.joinBeam(found.beam)
    joined()
  }
  const paste = async () => {
    try {
      await enter(await navigator.clipboard.readText())
    } catch {
      // Not allowed, or not a page on https: the person can still paste by hand.
      setAttempt({ status: 'clipboardClosed' })
    }
    field.current?.focus()
  }
  const hint = joinHint(text)
  const error = attempt.status === 'wrong' ? attempt.why : hint.kind === 'error' ? hint.text : null
  return (
    <Dialog
      title={t`Join Beam`}
      sub={t`Joins as soon as the id is complete.`}
      place="upper"
      onClose={onClose}
    >
      <form className={css.form} onSubmit={(event) => event.preventDefault()}>
        <Field
          ref={field}
          label={t`Enter Beam ID`}
          value={text}
          onChange={(event) => void enter(event.currentTarget.value)}
          hint={attempt.status === 'clipboardClosed' ? i18n._(CLOSED_CLIPBOARD) : hint.text}
          error={error}
          mono
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <div className={css.buttons}>
          <Button look="quiet" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button look="soft" icon={ClipboardPaste} onClick={() => void paste()}>
            {t`Paste`}
          </Button>
          {hasCameras() && <ScanButton look="quiet" size="md" onJoined={joined} />}
        </div>
      </form>
    </Dialog>
  )
}
