/** The colours of the toolbar, in rgb as notes store them. */

export interface Colour {
  readonly name: string
  /** Null removes the colour. */
  readonly value: string | null
}

export const TEXT_COLOURS: readonly Colour[] = [
  { name: 'Default', value: null },
  { name: 'Grey', value: 'rgb(107, 102, 126)' },
  { name: 'Red', value: 'rgb(176, 33, 45)' },
  { name: 'Orange', value: 'rgb(178, 84, 14)' },
  { name: 'Green', value: 'rgb(18, 115, 74)' },
  { name: 'Teal', value: 'rgb(11, 110, 137)' },
  { name: 'Blue', value: 'rgb(31, 90, 224)' },
  { name: 'Violet', value: 'rgb(127, 90, 240)' },
]

export const GROUND_COLOURS: readonly Colour[] = [
  { name: 'None', value: null },
  { name: 'Grey', value: 'rgb(231, 228, 239)' },
  { name: 'Red', value: 'rgb(253, 216, 216)' },
  { name: 'Yellow', value: 'rgb(255, 233, 176)' },
  { name: 'Green', value: 'rgb(205, 240, 221)' },
  { name: 'Teal', value: 'rgb(200, 236, 240)' },
  { name: 'Blue', value: 'rgb(209, 224, 255)' },
  { name: 'Violet', value: 'rgb(226, 216, 255)' },
]
