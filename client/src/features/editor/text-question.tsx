import type { OpenText } from '../../stores/editor'
import { useApp } from '../actions'
import { ConflictDialog } from '../note/conflict-dialog'
import { GoneDialog } from '../note/gone-dialog'

/** Asks what becomes of what was typed into the field of a text that another device has changed or deleted. */
export function TextQuestion({ question }: { question: Exclude<OpenText['question'], 'none'> }) {
  const { close, copyText, goOnWriting, replaceText } = useApp().actions.notes
  if (question === 'changed') {
    return (
      <ConflictDialog
        what="text"
        onMine={replaceText}
        onTheirs={close}
        onBoth={copyText}
        onClose={goOnWriting}
      />
    )
  }
  return <GoneDialog what="text" onShare={copyText} onDiscard={close} onClose={goOnWriting} />
}
