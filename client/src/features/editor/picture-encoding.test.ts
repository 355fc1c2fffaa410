import { describe, expect, it } from 'vitest'
import { blobOfDataUrl, fitted, pictureName } from './picture-encoding'

describe('a picture for a note', () => {
  it('is not larger than a screen', () => {
    expect(fitted(4000, 3000)).toEqual({ width: 1600, height: 1200 })
    expect(fitted(300, 200)).toEqual({ width: 300, height: 200 })
    expect(fitted(10_000, 1)).toEqual({ width: 1600, height: 1 })
  })

  it('is shared under its name with the extension of its new type', () => {
    expect(pictureName('IMG_2041.HEIC', 'image/webp')).toBe('IMG_2041.webp')
    expect(pictureName('', 'image/jpeg')).toBe('Picture.jpg')
  })

  it('is read from data without the network', async () => {
    const blob = blobOfDataUrl('data:image/png;base64,AQID')
    expect(blob.type).toBe('image/png')
    expect([...new Uint8Array(await blob.arrayBuffer())]).toEqual([1, 2, 3])
  })
})
