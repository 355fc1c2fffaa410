/** Which requests the service worker handles, and which answers it stores. */

export type Handling =
  /** Not handled: the live parts of the product never pass through the worker. */
  | 'network'
  /** The page: from the server while there is a network, else the stored copy. */
  | 'page'
  /** Pictures and the manifest: as the page, each under its own address. */
  | 'picture'
  /** Named after its content, so the stored copy never changes. */
  | 'asset'
  /** Another app shares content into this one. */
  | 'share'

export interface Asked {
  readonly method: string
  readonly path: string
  /** The request goes to this server. */
  readonly isOurs: boolean
  /** A person navigates to this address. */
  readonly isNavigation: boolean
}

/** The path of the share target in the manifest. */
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

/** Whether to store an answer. The server answers unknown paths with the page, which must not be stored as an asset. */
export function isWorthKeeping(handling: Handling, ok: boolean, type: string | null): boolean {
  const isPage = type?.startsWith('text/html') ?? false
  return ok && isPage === (handling === 'page')
}

/** More than two versions of the product have together. */
const ASSETS_AT_MOST = 200

/** Returns the assets to remove, of those stored, oldest first. */
export function surplus<T>(kept: readonly T[]): readonly T[] {
  return kept.slice(0, Math.max(0, kept.length - ASSETS_AT_MOST))
}
