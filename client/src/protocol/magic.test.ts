import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileCategory } from './item'
import { recognize } from './magic'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

describe('the first bytes of a file', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image', 'image/png'],
    ['\xff\xd8\xff\xe0\0\x10JFIF', 'image', 'image/jpeg'],
    ['GIF89a\x01\0\x01\0', 'image', 'image/gif'],
    ['RIFF\x1a\0\0\0WEBPVP8 ', 'image', 'image/webp'],
    ['\0\0\0\x1cftypavif\0\0\0\0', 'image', 'image/avif'],
    ['BM\x8a\0\0\0\0\0\0\0', 'image', 'image/bmp'],
    ['RIFF\x24\0\0\0WAVEfmt ', 'audio', 'audio/wav'],
    ['fLaC\0\0\0\x22', 'audio', 'audio/flac'],
    ['ID3\x04\0', 'audio', 'audio/mpeg'],
    ['\xff\xfb\x90\x64', 'audio', 'audio/mpeg'],
    ['\0\0\0\x20ftypM4A \0', 'audio', 'audio/mp4'],
    ['OggS\0\x02', 'audio', 'audio/ogg'],
    ['\0\0\0\x20ftypisom\0\0\x02\0', 'video', 'video/mp4'],
    ['\0\0\0\x14ftypqt  ', 'video', 'video/quicktime'],
    ['\x1aE\xdf\xa3\x01', 'video', 'video/webm'],
  ] as const)('%j are %s', (start, media, type) => {
    expect(recognize(bytes(start), media)).toEqual({ media, type })
  })

  it.each([
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">',
    '<?xml version="1.0"?><svg/>',
    '\ufeff<!doctype html><script>alert(1)</script>'.replace('\ufeff', '\xef\xbb\xbf'),
    '<html>',
    '%PDF-1.7',
    'PK\x03\x04',
    '',
  ])('%j stay a file, whatever their sender says', (start) => {
    for (const declared of ['image', 'audio', 'video', 'file'] as const) {
      expect(recognize(bytes(start), declared)).toBeNull()
    }
  })

  it('count more than the declared type', () => {
    expect(recognize(bytes('\x89PNG\r\n\x1a\n'), 'video')).toEqual({ media: 'image', type: 'image/png' })
    expect(recognize(bytes('GIF89a'), 'file')?.media).toBe('image')
  })

  it('let the declared type choose the player of a container', () => {
    expect(recognize(bytes('\x1aE\xdf\xa3'), 'audio')).toEqual({ media: 'audio', type: 'audio/webm' })
    expect(recognize(bytes('OggS'), 'video')).toEqual({ media: 'video', type: 'video/ogg' })
  })

  it('of a weak signature count only with the same declared category', () => {
    expect(recognize(bytes('BM\0\0\0\0\0\0\0\0'), 'file')).toBeNull()
    expect(recognize(bytes('\xff\xfb\x90\x64'), 'image')).toBeNull()
  })

  it('never give a type that runs code', () => {
    const declared = fc.constantFrom<FileCategory>('image', 'audio', 'video', 'file')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), declared, (start, word) => {
        const type = recognize(start, word)?.type ?? ''
        expect(type).not.toMatch(/svg|html|xml|script/)
      }),
    )
  })
})
