/** The icon of a device, chosen by its name ("Safari on iPhone"). */
import Laptop from 'lucide-react/icons/laptop'
import Monitor from 'lucide-react/icons/monitor'
import Smartphone from 'lucide-react/icons/smartphone'
import Tablet from 'lucide-react/icons/tablet'
import type { Glyph } from '../../ui/icon'

const BY_NAME: readonly (readonly [RegExp, Glyph])[] = [
  [/ipad|tablet/i, Tablet],
  [/iphone|android|mobile/i, Smartphone],
  [/mac|chrome ?os|chromebook|laptop/i, Laptop],
]

export function deviceIcon(name: string): Glyph {
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? Monitor
}
