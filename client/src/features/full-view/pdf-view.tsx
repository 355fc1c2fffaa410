import { t } from '@lingui/core/macro'
import { useEffect, useRef, useState } from 'react'
import { useApp } from '../actions'
import type { ShownFile } from '../item/shown-as'
import { formatBytes } from '../transfer/format-bytes'
import { CannotShow } from './cannot-show'
import type { PdfDocument } from './pdf-document'
import { PdfPages } from './pdf-pages'
import css from './pdf-view.module.css'
import type { Size } from './zoom'

/** The whole file is read into memory. */
const MOST_BYTES = 128 * 1024 * 1024
/** Larger than every font and character map of pdf.js. */
const MOST_DATA_BYTES = 4 * 1024 * 1024

type Opening =
  | { readonly status: 'opening' }
  | { readonly status: 'open'; readonly pdf: PdfDocument; readonly first: Size }
  | { readonly status: 'failed'; readonly why: string }

/** The pages of a PDF, one below the other. pdf.js is loaded when the first PDF is shown. */
export function PdfView({ file }: { file: ShownFile }) {
  const opening = usePdf(file)
  if (opening.status === 'failed') return <CannotShow>{opening.why}</CannotShow>
  if (opening.status === 'opening') {
    return (
      <div className={css.opening} role="status">
        {t`Opening the PDF…`}
      </div>
    )
  }
  return <PdfPages name={file.name} pdf={opening.pdf} first={opening.first} />
}

function usePdf({ id, size }: ShownFile): Opening {
  const { actions } = useApp()
  const [opening, setOpening] = useState<Opening>({ status: 'opening' })
  const opened = useRef<PdfDocument | null>(null)
  useEffect(() => {
    let isOver = false
    const open = async (): Promise<Opening> => {
      if (size > MOST_BYTES) {
        const limit = formatBytes(MOST_BYTES)
        return { status: 'failed', why: t`A PDF above ${limit} is not shown here.` }
      }
      const [bytes, { openPdf }] = await Promise.all([actions.readItem(id, size), import('./pdf-document')])
      const pdf = await openPdf(bytes, (data) => actions.readFile(data, MOST_DATA_BYTES))
      opened.current = pdf
      return { status: 'open', pdf, first: await pdf.sizeOf(1) }
    }
    open()
      .catch((error: unknown): Opening => ({ status: 'failed', why: whyNot(error) }))
      .then(
        (next) => (isOver ? opened.current?.close() : setOpening(next)),
        () => {},
      )
    return () => {
      isOver = true
      opened.current?.close()
    }
  }, [actions, id, size])
  return opening
}

function whyNot(error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  if (name === 'PasswordException') return t`This PDF asks for a password.`
  return name === 'InvalidPDFException'
    ? t`This file is not a PDF that can be read.`
    : t`The PDF could not be opened.`
}
