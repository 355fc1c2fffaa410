/** The worker of pdf.js, which reads a PDF apart from the page. */
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
