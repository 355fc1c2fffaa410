/** What the service worker does with a request, and what of the answers it keeps. Pure. */

export type Handling =
  /** None of its business: the live parts of the product never pass it. */
  | 'network'
  /** The page: the server's newest while there is a network, else the last one. */
  | 'page'
  /** Pictures and the manifest: like the page, each for itself. */
  | 'picture'
  /** Its name changes with its content: what is kept is right for ever. */
  | 'asset'
  /** Another app shares something into this one. */
  | 'share'

export interface Asked {
  readonly method: string
  readonly path: string
  /** Of this server. */
  readonly isOurs: boolean
  /** A person goes to this address. */
  readonly isNavigation: boolean
}

/** As the manifest says. */
export const SHARE_PATH = '/share'
const ASSETS = '/assets/'
const NOT_OURS_TO_TOUCH = /^\/(?:api|ws|healthz|readyz|metrics)(?:\/|$)/
const PICTURE = /^\/[\w-]+\.(?:svg|png|webmanifest)$/

export function handlingOf({ method, path, isOurs, isNavigation }: Asked): Handling {
  if (!isOurs || NOT_OURS_TO_TOUCH.test(path)) return 'network'
  if (method === 'POST' && path === SHARE_PATH) return 'share'
  if (method !== 'GET') return 'network'
  if (isNavigation) return 'page'
  if (path.startsWith(ASSETS)) return 'asset'
  return PICTURE.test(path) ? 'picture' : 'network'
}

/** The server answers unknown names with the page: under the name of an asset that would be wrong for ever. */
export function isWorthKeeping(handling: Handling, ok: boolean, type: string | null): boolean {
  const isPage = type?.startsWith('text/html') ?? false
  return ok && isPage === (handling === 'page')
}

/** More than two versions of the product have. */
const ASSETS_AT_MOST = 200

/** Which assets are forgotten, of those kept, oldest first. */
export function surplus<T>(kept: readonly T[]): readonly T[] {
  return kept.slice(0, Math.max(0, kept.length - ASSETS_AT_MOST))
}
