import { t } from '@lingui/core/macro'
import ArrowUp from 'lucide-react/icons/arrow-up'
import ClipboardPaste from 'lucide-react/icons/clipboard-paste'
import Maximize2 from 'lucide-react/icons/maximize-2'
import MessageSquare from 'lucide-react/icons/message-square'
import Share from 'lucide-react/icons/share'
import X from 'lucide-react/icons/x'
import { Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { isComposing } from '../../ui/composing'
import { cx } from '../../ui/cx'
import { useDismiss } from '../../ui/dismiss'
import { heightAs } from '../../ui/height-property'
import { IconButton } from '../../ui/icon-button'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'
import { MessageField } from './message-field'
import css from './toolbar.module.css'

const ShareMenu = lazyPart(
  () => import('./share-menu'),
  (m) => m.ShareMenu,
)

// Toasts are above the bar and its menu.
const barHeight = heightAs('--bar')
const menuHeight = heightAs('--menu', 8)

/** The bar at the bottom of the desktop: three actions, or the message field. */
export function Toolbar({ onFiles, onFolder }: { onFiles: () => void; onFolder: (() => void) | null }) {
  const [mode, setMode] = useState<'collapsed' | 'message'>('collapsed')
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    // The button that had the focus is rendered again.
    if (wasOpen.current && mode === 'collapsed') opener.current?.focus()
    wasOpen.current = mode === 'message'
  }, [mode])
  return (
    <section
      ref={barHeight}
      className={cx(css.toolbar, mode === 'message' && css.wide)}
      aria-label={t`Toolbar`}
    >
      {mode === 'message' ? (
        <MessageEntry onClose={() => setMode('collapsed')} />
      ) : (
        <Tools opener={opener} onMessage={() => setMode('message')} onFiles={onFiles} onFolder={onFolder} />
      )}
    </section>
  )
}

interface ToolsProps {
  opener: React.RefObject<HTMLButtonElement | null>
  onMessage: () => void
  onFiles: () => void
  onFolder: (() => void) | null
}

function Tools({ opener, onMessage, onFiles, onFolder }: ToolsProps) {
  const { actions } = useApp()
  const [sharing, setSharing] = useState(false)
  const anchor = useRef<HTMLDivElement>(null)
  const close = useCallback(() => setSharing(false), [])
  useDismiss(anchor, sharing, close)
  return (
    <>
      <IconButton
        icon={ClipboardPaste}
        label={t`Paste`}
        iconSize={20}
        className={css.tool}
        onClick={() => void actions.paste('home')}
      />
      <IconButton
        ref={opener}
        icon={MessageSquare}
        label={t`Message`}
        iconSize={20}
        className={css.tool}
        onClick={onMessage}
      />
      <div ref={anchor} className={css.anchor}>
        <IconButton
          icon={Share}
          label={t`Share`}
          iconSize={20}
          className={css.tool}
          aria-haspopup="menu"
          aria-expanded={sharing}
          onClick={() => setSharing(!sharing)}
        />
        {sharing && (
          <div ref={menuHeight} className={css.menu}>
            <Suspense>
              <ShareMenu onFiles={onFiles} onFolder={onFolder} onClose={close} />
            </Suspense>
          </div>
        )}
      </div>
      <IconButton
        icon={Maximize2}
        label={t`New note`}
        iconSize={20}
        className={css.tool}
        onClick={() => actions.notes.create()}
      />
    </>
  )
}

function MessageEntry({ onClose }: { onClose: () => void }) {
  const { actions } = useApp()
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const trimmed = text.trim()
  const send = () => {
    if (trimmed === '') return
    actions.shareText(trimmed)
    onClose()
  }
  // The editor takes over the typed text; after it closes the bar is collapsed.
  const expand = () => {
    onClose()
    actions.notes.create(text)
  }
  return (
    <form
      className={css.entry}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isComposing(event.nativeEvent)) onClose()
      }}
    >
      <IconButton icon={X} label={t`Close`} iconSize={20} onClick={onClose} />
      <MessageField
        ref={field}
        label={t`Type a message`}
        placeholder={t`Type a message`}
        text={text}
        onText={setText}
        onSend={send}
      />
      <IconButton icon={Maximize2} label={t`New note`} iconSize={18} onClick={expand} />
      <IconButton
        type="submit"
        icon={ArrowUp}
        label={t`Send`}
        look="accent"
        iconSize={20}
        disabled={trimmed === ''}
      />
    </form>
  )
}
