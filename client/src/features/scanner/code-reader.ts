/** Reads QR codes in a worker, because reading a picture takes longer than a frame. */

export interface CodeReader {
  /** Returns the texts of all codes in a picture and closes the picture. One call at a time. */
  read(picture: ImageBitmap): Promise<readonly string[]>
  end(): void
}

/** The picture to read. The answer is a list of texts. */
export type PictureMessage = ImageBitmap
export type TextsMessage = readonly string[]

export function openCodeReader(): CodeReader {
  const worker = new Worker(new URL('./code-reader-worker.ts', import.meta.url), { type: 'module' })
  return {
    read: (picture) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<TextsMessage>) => resolve(data)
        worker.onerror = () => reject(new Error('the code reader could not be loaded'))
        worker.postMessage(picture satisfies PictureMessage, [picture])
      }),
    end: () => worker.terminate(),
  }
}
