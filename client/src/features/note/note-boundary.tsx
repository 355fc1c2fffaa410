import { t } from '@lingui/core/macro'
import { Component, type ReactNode } from 'react'
import css from './note-boundary.module.css'

/** Shown in place of a note that cannot be shown. */
export function NoteError() {
  return <p className={css.error}>{t`An error was thrown.`}</p>
}

/** Limits an error in one note to that note. */
export class NoteBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? <NoteError /> : this.props.children
  }
}
