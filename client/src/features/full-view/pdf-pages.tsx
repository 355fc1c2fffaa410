import { plural, t } from '@lingui/core/macro'
import { useEffect, useRef, useState } from 'react'
import type { PdfDocument } from './pdf-document'
import css from './pdf-view.module.css'
import { useSize } from './use-size'
import type { Size } from './zoom'
import { ZoomBar } from './zoom-bar'

/** Pages shown of one file. */
const MOST_PAGES = 500
/** Space at both sides of a page, in CSS px. */
const MARGIN = 32
const LEAST_SCALE = 0.1
const MOST_SCALE = 5

interface PdfPagesProps {
  name: string
  pdf: PdfDocument
  /** The size of the first page. Most files have pages of one size, so the others take it until they are near. */
  first: Size
}

/** Draws only the pages near the screen. They begin as wide as the window, but not above their own size. */
export function PdfPages({ name, pdf, first }: PdfPagesProps) {
  const scroll = useRef<HTMLElement>(null)
  const room = useSize(scroll)
  const [own, setOwn] = useState<number | null>(null)
  const fit = room ? Math.min(1, (room.width - MARGIN) / first.width) : null
  const scale = own ?? fit
  const put = (next: number) => setOwn(Math.min(MOST_SCALE, Math.max(LEAST_SCALE, next)))
  const pages = pdf.pageCount
  const shown = Math.min(MOST_PAGES, pages)
  const numbers = Array.from({ length: shown }, (_, at) => at + 1)
  return (
    <div className={css.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by the keyboard too */}
      <section ref={scroll} className={css.scroll} aria-label={t`Pages of ${name}`} tabIndex={0}>
        {scale !== null &&
          numbers.map((number) => (
            <Page key={number} number={number} pdf={pdf} first={first} scale={scale} />
          ))}
        {pages > shown && (
          <p className={css.rest}>
            {plural(pages, {
              other: `These are the first ${shown} of ${pages} pages. Download the file to read the rest.`,
            })}
          </p>
        )}
      </section>
      {scale !== null && (
        <ZoomBar
          scale={scale}
          onZoom={(factor) => put(scale * factor)}
          onFull={() => put(1)}
          onFit={() => setOwn(null)}
        />
      )}
    </div>
  )
}

interface PageProps {
  number: number
  pdf: PdfDocument
  first: Size
  scale: number
}

function Page({ number, pdf, first, scale }: PageProps) {
  const box = useRef<HTMLDivElement>(null)
  const sheet = useRef<HTMLDivElement>(null)
  const isNear = useNear(box)
  const count = pdf.pageCount
  const [size, setSize] = useState(first)
  useEffect(() => {
    if (!isNear || !sheet.current) return
    // A page without a size of its own keeps that of the first.
    void pdf.sizeOf(number).then(setSize, () => {})
    return pdf.draw(number, scale, sheet.current)
  }, [pdf, number, scale, isNear])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      ref={box}
      role="group"
      aria-label={t`Page ${number} of ${count}`}
      className={css.page}
      style={{ width: size.width * scale, height: size.height * scale }}
    >
      <div ref={sheet} className={css.sheet} />
    </div>
  )
}

/** Whether an element is at most one window away from being seen. */
function useNear(ref: React.RefObject<HTMLElement | null>): boolean {
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new IntersectionObserver(
      (entries) => setIsNear(entries.some((entry) => entry.isIntersecting)),
      { root: element.parentElement, rootMargin: '100% 0px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return isNear
}
