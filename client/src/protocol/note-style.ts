/** Inline styles of a note's text. Kept are the font size in px, the text colour and the background colour in rgb. */

export interface TextStyle {
  readonly 'font-size'?: string
  readonly color?: string
  readonly 'background-color'?: string
}

const SMALLEST_PX = 6
const LARGEST_PX = 96
const RGB = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/
const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Returns a font size in px within readable bounds; null for anything else. */
export function fontSize(value: string): string | null {
  const [, number] = /^(\d{1,3}(?:\.\d{1,3})?)px$/.exec(value.trim()) ?? []
  const px = Number(number)
  return px >= SMALLEST_PX && px <= LARGEST_PX ? `${px}px` : null
}

/** Returns an rgb colour in canonical form; null for anything else. */
export function rgbColour(value: string): string | null {
  const parts = RGB.exec(value.trim())?.slice(1).map(Number)
  return parts?.every((part) => part <= 255) ? `rgb(${parts.join(', ')})` : null
}

/** As `rgbColour`, but also accepts the hex form that other editors store. */
export function storedColour(value: string): string | null {
  const hex = value.trim()
  if (!HEX.test(hex)) return rgbColour(value)
  const digits =
    hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit) : hex.match(/[0-9a-f]{2}/gi)
  return `rgb(${digits?.map((pair) => Number.parseInt(pair, 16)).join(', ')})`
}

const KEPT: Readonly<Record<keyof TextStyle, (value: string) => string | null>> = {
  'font-size': fontSize,
  color: storedColour,
  'background-color': storedColour,
}

/** Reads the allowed part of an inline style. */
export function readStyle(css: string): TextStyle {
  const style: Record<string, string> = {}
  for (const declaration of css.split(';')) {
    const [property = '', ...value] = declaration.split(':')
    const name = property.trim().toLowerCase()
    const kept = isKept(name) && KEPT[name](value.join(':'))
    if (kept) style[name] = kept
  }
  return style
}

/** Writes the style as CSS text, in a fixed order. */
export function writeStyle(style: TextStyle): string {
  return (['font-size', 'color', 'background-color'] as const)
    .flatMap((name) => (style[name] ? [`${name}: ${style[name]};`] : []))
    .join(' ')
}

function isKept(name: string): name is keyof TextStyle {
  return Object.hasOwn(KEPT, name)
}
