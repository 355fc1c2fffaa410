import { Component, type ReactNode } from 'react'
import css from './note-boundary.module.css'

/** What stands for a note that cannot be shown. */
export function NoteError() {
  return <p className={css.error}>An error was thrown.</p>
}

/** Keeps what goes wrong in one note from everything around it. */
export class NoteBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? <NoteError /> : this.props.children
  }
}
