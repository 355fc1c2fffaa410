import { Component, type ReactNode } from 'react'
import { Button, ButtonLink } from '../ui/button'
import { Mark } from '../ui/mark'
import css from './error-boundary.module.css'
import { paths } from './paths'

/** Stands in for the page when drawing it failed, and offers the ways out. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <main className={css.page}>
        <Mark size={40} />
        <h1>Something went wrong on this page</h1>
        <p>What was shared is still in the beam. Load the page again to go on.</p>
        <div className={css.buttons}>
          <Button look="primary" onClick={() => window.location.reload()}>
            Load again
          </Button>
          <ButtonLink href={paths.home}>Home</ButtonLink>
        </div>
      </main>
    )
  }
}
