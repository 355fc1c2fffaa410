/** The only door to pdf.js. A PDF is drawn as pictures of its pages: no script, form or link in it works. */
import {
  AnnotationMode,
  getDocument,
  type PDFDocumentProxy,
  type PDFPageProxy,
  PDFWorker,
  TextLayer,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { Size } from './zoom'

/** Pixels of one drawn page, and of one picture in it. The browsers of phones refuse larger ones. */
const MOST_PIXELS = 8 * 1024 * 1024
const MOST_PICTURE_PIXELS = 32 * 1024 * 1024
/** Longest side of a page in CSS px; a file may claim any size. */
const LONGEST_SIDE = 20_000
/** Pieces of text of one page. A page with more is shown without text to select. */
const MOST_TEXTS = 20_000
/** CSS px of a point, the unit of the file. */
const PX_A_POINT = 96 / 72

export interface PdfDocument {
  readonly pageCount: number
  /** Returns the size of a page in CSS px. Pages count from 1. */
  sizeOf(page: number): Promise<Size>
  /** Draws a page into an element, with its text above it to be selected. Returns a function that stops and clears. */
  draw(page: number, scale: number, host: HTMLElement): () => void
  /** Ends the worker, whatever it does at that moment. */
  close(): void
}

/** Reads a file of the page's own server. */
export type ReadData = (url: string) => Promise<Uint8Array>

/** The character maps, fonts and decoders that some files need, by file name. Each is fetched when it is needed. */
const DATA_URLS = new Map(
  Object.entries(
    import.meta.glob<string>(
      [
        '../../../../node_modules/pdfjs-dist/cmaps/*.bcmap',
        '../../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}',
        '../../../../node_modules/pdfjs-dist/wasm/*.wasm',
      ],
      { query: '?url', import: 'default', eager: true },
    ),
  ).map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1), url]),
)

/** Opens a PDF. @throws what pdf.js throws for a file that is no PDF, or asks for a password */
export async function openPdf(data: Uint8Array, read: ReadData): Promise<PdfDocument> {
  const port = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' })
  const task = getDocument({
    data,
    worker: PDFWorker.create({ port }),
    BinaryDataFactory: dataFactory(read),
    useWorkerFetch: false,
    isEvalSupported: false,
    enableXfa: false,
    maxImageSize: MOST_PICTURE_PIXELS,
    verbosity: 0,
  })
  const close = () => {
    void task.destroy().catch(() => {})
    // A worker that is busy with a hostile file does not hear the request to end.
    port.terminate()
  }
  try {
    return documentOf(await task.promise, close)
  } catch (error) {
    close()
    throw error
  }
}

function dataFactory(read: ReadData) {
  return class DataFactory {
    async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
      const url = DATA_URLS.get(filename)
      if (url === undefined) throw new Error(`There is no ${filename}`)
      return await read(url)
    }
  }
}

function documentOf(pdf: PDFDocumentProxy, close: () => void): PdfDocument {
  return {
    pageCount: pdf.numPages,
    close,
    async sizeOf(number) {
      const { width, height } = (await pdf.getPage(number)).getViewport({ scale: PX_A_POINT })
      return { width: believed(width), height: believed(height) }
    },
    draw(number, scale, host) {
      const stop = new AbortController()
      // A page that cannot be drawn stays empty; the others are shown.
      void pdf
        .getPage(number)
        .then((page) => drawPage(page, scale, host, stop.signal))
        .catch(() => {})
      return () => {
        stop.abort()
        host.replaceChildren()
      }
    },
  }
}

async function drawPage(
  page: PDFPageProxy,
  scale: number,
  host: HTMLElement,
  stop: AbortSignal,
): Promise<void> {
  if (stop.aborted) return
  const viewport = page.getViewport({ scale: scale * PX_A_POINT })
  const [width, height] = [believed(viewport.width), believed(viewport.height)]
  const ratio = Math.min(devicePixelRatio, Math.sqrt(MOST_PIXELS / (width * height)))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.floor(width * ratio))
  canvas.height = Math.max(1, Math.floor(height * ratio))
  host.replaceChildren(canvas)
  const drawing = page.render({
    canvas,
    viewport,
    transform: [ratio, 0, 0, ratio, 0, 0],
    annotationMode: AnnotationMode.ENABLE,
  })
  stop.addEventListener('abort', () => drawing.cancel())
  await drawing.promise
  const text = await page.getTextContent()
  if (stop.aborted || text.items.length > MOST_TEXTS) return
  const container = document.createElement('div')
  container.style.setProperty('--total-scale-factor', String(viewport.scale))
  host.append(container)
  await new TextLayer({ textContentSource: text, container, viewport }).render()
}

function believed(side: number): number {
  return Number.isFinite(side) ? Math.min(LONGEST_SIDE, Math.max(1, side)) : 1
}
