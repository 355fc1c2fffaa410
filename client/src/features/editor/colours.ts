/** The colours of the toolbar, in rgb as notes store them. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export interface Colour {
  readonly name: MessageDescriptor
  /** Null removes the colour. */
  readonly value: string | null
}

export const TEXT_COLOURS: readonly Colour[] = [
  { name: msg({ message: 'Default', comment: 'The usual colour of text' }), value: null },
  { name: msg`Grey`, value: 'rgb(107, 102, 126)' },
  { name: msg`Red`, value: 'rgb(176, 33, 45)' },
  { name: msg`Orange`, value: 'rgb(178, 84, 14)' },
  { name: msg`Green`, value: 'rgb(18, 115, 74)' },
  { name: msg`Teal`, value: 'rgb(11, 110, 137)' },
  { name: msg`Blue`, value: 'rgb(31, 90, 224)' },
  { name: msg`Violet`, value: 'rgb(127, 90, 240)' },
]

export const GROUND_COLOURS: readonly Colour[] = [
  { name: msg({ message: 'None', comment: 'No background colour' }), value: null },
  { name: msg`Grey`, value: 'rgb(231, 228, 239)' },
  { name: msg`Red`, value: 'rgb(253, 216, 216)' },
  { name: msg`Yellow`, value: 'rgb(255, 233, 176)' },
  { name: msg`Green`, value: 'rgb(205, 240, 221)' },
  { name: msg`Teal`, value: 'rgb(200, 236, 240)' },
  { name: msg`Blue`, value: 'rgb(209, 224, 255)' },
  { name: msg`Violet`, value: 'rgb(226, 216, 255)' },
]
