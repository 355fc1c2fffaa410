/**
 * The name that a device has until its person gives it another one, such as "Chrome on Android". It goes over the wire in
 * English, because it is told to people of every language; each page shows it in its own.
 */
import { t } from '@lingui/core/macro'

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

const ANY_BROWSER = 'Browser'
const ANY_SYSTEM = 'a device'

const choices = (names: readonly [RegExp, string][], any: string) =>
  [...names.map(([, name]) => name), any].join('|')

const DEFAULT_NAME = new RegExp(
  `^(${choices(BROWSERS, ANY_BROWSER)}) on (${choices(SYSTEMS, ANY_SYSTEM)})( \\d+)?$`,
)

/** Returns the name of a device that nobody has named, from its browser's user agent. */
export function defaultName(userAgent: string): string {
  const find = (names: readonly [RegExp, string][]) => names.find(([pattern]) => pattern.test(userAgent))?.[1]
  return `${find(BROWSERS) ?? ANY_BROWSER} on ${find(SYSTEMS) ?? ANY_SYSTEM}`
}

/** Whether nobody has named a device. */
export function isDefaultName(name: string): boolean {
  return DEFAULT_NAME.test(name)
}

/** Returns a name as this page shows it: a default name in its language, any other as it is. A number stays at the end. */
export function shownName(name: string): string {
  const [, browser, system, number = ''] = DEFAULT_NAME.exec(name) ?? []
  if (browser === undefined || system === undefined) return name
  return `${inLanguage(browser, system)}${number}`
}

function inLanguage(found: string, system: string): string {
  const browser = found === ANY_BROWSER ? t`Browser` : found
  return system === ANY_SYSTEM ? t`${browser} on a device` : t`${browser} on ${system}`
}
