import { plural, t } from '@lingui/core/macro'
import { useId } from 'react'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { useApp } from '../actions'
import { useMayShare, useSession } from '../session/beam'
import { formatBytes } from '../transfer/format-bytes'
import css from './parcel-note.module.css'

/**
 * Shows what another app or a website handed over, until the person shares or discards it. It is never shared by
 * itself, because any website can hand over content.
 */
export function ParcelNote() {
  const { stores, actions } = useApp()
  const heading = useId()
  const { texts, files } = useStore(stores.shareTarget)
  const { text, canShare } = useHint()
  const count = texts.length + files.length
  if (count === 0) return null
  return (
    <section className={css.parcel} aria-labelledby={heading}>
      <h2 id={heading}>
        {plural(count, {
          1: 'Waits to be shared',
          one: '# thing waits to be shared',
          other: '# things wait to be shared',
        })}
      </h2>
      <ul className={css.things}>
        {texts.map((words, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order, and two texts may be equal
          <li key={at} className={css.text} dir="auto">
            {words}
          </li>
        ))}
        {files.map(({ name, size }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order, and two names may be equal
          <li key={at} className={css.file}>
            <bdi className={css.name}>{name}</bdi>
            <span className={css.size}>{formatBytes(size)}</span>
          </li>
        ))}
      </ul>
      <p className={css.hint} role="status">
        {text}
      </p>
      <div className={css.ways}>
        <Button look="plain" onClick={() => void actions.discardParcel()}>
          {t`Discard`}
        </Button>
        <Button look="primary" disabled={!canShare} onClick={() => void actions.shareParcel()}>
          {plural(count, { 1: 'Share it', one: 'Share # thing', other: 'Share # things' })}
        </Button>
      </div>
    </section>
  )
}

/** Whether there is anything to show. */
export function useDoesParcelWait(): boolean {
  return useStore(useApp().stores.shareTarget, ({ texts, files }) => texts.length + files.length > 0)
}

/** Whether it can be shared now, and the sentence that says so. */
function useHint(): { text: string; canShare: boolean } {
  const { status } = useStore(useApp().stores.connection)
  const mayShare = useMayShare()
  if (useSession() === null) {
    return {
      text: t`It came from another app or a website. Make a beam or join one, then share it.`,
      canShare: false,
    }
  }
  if (!mayShare) {
    return {
      text: t`It came from another app or a website. It cannot be shared in this beam.`,
      canShare: false,
    }
  }
  if (status !== 'live') {
    return {
      text: t`It came from another app or a website. It can be shared once you are connected.`,
      canShare: false,
    }
  }
  return {
    text: t`It came from another app or a website. Nothing is shared until you tap Share.`,
    canShare: true,
  }
}
