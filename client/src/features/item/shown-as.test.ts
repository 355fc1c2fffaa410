import { describe, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { fileItemMessage, pendingItem, storedItemMessage, textMessage } from '../../protocol/item'
import { documentOf, shownFile } from './shown-as'

const file = (name: string, type = '') => {
  const { message, extra } = fileItemMessage({ name, size: 7, type })
  return pendingItem('a' as ItemId, message, extra, 0)
}
const here = { role: 'sending', to: {}, url: 'blob:a' } as const

describe('a file in the full view', () => {
  it.each([
    ['Plan.PDF', 'pdf'],
    ['notes.md', 'text'],
    ['prices.csv', 'text'],
    ['main.rs', 'text'],
    ['page.html', 'text'],
    ['LICENSE', 'text'],
    ['archive.zip', null],
    ['letter.docx', null],
  ] as const)('%s is shown as %s', (name, as) => {
    expect(documentOf(file(name).content)).toBe(as)
  })

  it('may be told by its type alone', () => {
    expect(documentOf(file('scan', 'application/pdf').content)).toBe('pdf')
    expect(documentOf(file('words', 'text/plain').content)).toBe('text')
  })

  it('is shown only from this device or from the stored copy', () => {
    expect(shownFile(file('a.txt'), undefined, null)).toBeNull()
    expect(shownFile(file('a.txt'), here, null)).toMatchObject({ url: 'blob:a', as: 'text' })
  })

  it('is shown from this device rather than from the stored copy', () => {
    const { message, extra } = storedItemMessage({
      name: 'a.txt',
      size: 7,
      type: '',
      url: '/api/uploads/0123456789abcdef',
    })
    const stored = pendingItem('a' as ItemId, message, extra, 0)
    expect(shownFile(stored, here, null)?.url).toBe('blob:a')
    expect(shownFile(stored, undefined, null)?.url).toBe('/api/uploads/0123456789abcdef')
  })

  it('e7_is_a_document_of_which_the_server_has_a_sealed_copy_also_while_it_comes', () => {
    const sealed = (name: string) => {
      const seal = { key: 'A'.repeat(43), salt: 'A'.repeat(32) }
      const facts = { name, size: 7, type: '', url: '/api/uploads/0123456789abcdef', seal }
      const { message, extra } = storedItemMessage(facts)
      return pendingItem('a' as ItemId, message, extra, 0)
    }
    const offered = { role: 'receiving', state: { status: 'offered' } } as const
    const coming = { role: 'receiving', state: { status: 'queued', received: 0 } } as const
    for (const transfer of [undefined, offered, coming])
      expect(shownFile(sealed('a.txt'), transfer, null)).toMatchObject({ url: null, as: 'text' })
    expect(shownFile(sealed('a.txt'), here, null)).toMatchObject({ url: 'blob:a' })
    // What the browser itself has to read comes first.
    expect(shownFile(sealed('a.png'), offered, { media: 'image', type: 'image/png' })).toBeNull()
  })

  it('is media when its first bytes say so, whatever its name', () => {
    expect(shownFile(file('a.txt'), here, { media: 'image', type: 'image/png' })?.as).toBe('image')
  })

  it('is never a text item', () => {
    const { message, extra } = textMessage('words')
    expect(shownFile(pendingItem('a' as ItemId, message, extra, 0), here, null)).toBeNull()
  })
})
