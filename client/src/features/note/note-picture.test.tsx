// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { type Item, liveItem, storedItemMessage } from '../../protocol/item'
import { RICH_NOTE } from '../../protocol/rich-note'
import type { Encryption } from '../../stores/encryption'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { NotePicture } from './note-picture'
import { PicturesOf } from './picture-url'

const NOTE = 'note' as ItemId
const PICTURE = 'picture' as ItemId
const PLACE = '/api/uploads/0123456789abcdef'

const given = (id: ItemId, seq: number, { message, extra }: { message: unknown; extra: string }): Item =>
  liveItem({ id, seq, from: 'ada' as DeviceId, at: seq, message, extra }, null)
const note = given(NOTE, 2, { message: { title: 'Holiday', content: null }, extra: RICH_NOTE })
const picture = given(
  PICTURE,
  1,
  storedItemMessage({ name: 'beach.png', size: 3, type: 'image/png', url: PLACE }),
)
const clear = (item: Item): Item => ({ ...item, isClear: true })

let stores: Stores

/** Whether the note shows the picture. */
function isShown(encryption: Encryption, items: readonly Item[], of: ItemId | null = NOTE): boolean {
  stores.encryption.setState(encryption, true)
  stores.items.setState({ items })
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <PicturesOf value={of}>
        <NotePicture src={`item:${PICTURE}`} alt="The beach" style={{}} />
      </PicturesOf>
    </AppContext>,
  )
  return screen.getByRole('img', { name: 'The beach' }).getAttribute('src') === PLACE
}

beforeEach(() => {
  stores = createStores()
  stores.media.setState({ kinds: { [PICTURE]: { media: 'image', type: 'image/png' } } })
})
afterEach(cleanup)

describe('e12 a picture that came in clear text', () => {
  const SEALED: Encryption = { kind: 'sealed', isDeposited: false }

  it('is not shown in a note that is sealed, nor in one that nobody has yet', () => {
    expect(isShown(SEALED, [clear(picture), note])).toBe(false)
    cleanup()
    expect(isShown(SEALED, [clear(picture)], null)).toBe(false)
  })

  it('is shown in a note that came so too, which has a mark', () => {
    expect(isShown(SEALED, [clear(picture), clear(note)])).toBe(true)
  })

  it('is shown in every note of a beam in clear text', () => {
    expect(isShown({ kind: 'clear' }, [clear(picture), note])).toBe(true)
  })

  it('is another one than a sealed picture, which is shown in every note', () => {
    expect(isShown(SEALED, [picture, note])).toBe(true)
  })
})
