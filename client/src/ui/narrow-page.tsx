import type { ReactNode } from 'react'
import css from './narrow-page.module.css'

/** The main part of a page to be read: a heading, and one column below it. */
export function NarrowPage({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <main className={css.page}>
      <h1>{heading}</h1>
      {children}
    </main>
  )
}
