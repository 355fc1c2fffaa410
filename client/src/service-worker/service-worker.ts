/**
 * Starts the page without a network, and takes what other apps share. It never handles the live parts of the product. A
 * new version takes over at once. That is safe: the worker has no state of the page, the page comes from the server,
 * and assets are named after their content.
 */
import { KEPT, type Keeping, keptFirst, newestFirst, PAGE } from './answers'
import { handlingOf, surplus } from './fetch-rules'
import { putShared, SHARED } from './share-target'

/**
 * The part of `ServiceWorkerGlobalScope` that is used. TypeScript's libraries for pages and for workers exclude each
 * other.
 */
interface Scope {
  skipWaiting(): Promise<void>
  readonly clients: {
    claim(): Promise<void>
    matchAll(query: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly OpenPage[]>
    openWindow(url: string): Promise<unknown>
  }
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchedEvent) => void): void
  addEventListener(type: 'notificationclick', listener: (event: NotificationClicked) => void): void
  addEventListener(type: 'message', listener: (event: LifeEvent & { data: unknown }) => void): void
}
interface LifeEvent {
  waitUntil(work: Promise<unknown>): void
}
interface OpenPage {
  focus(): Promise<unknown>
}
interface NotificationClicked extends LifeEvent {
  readonly notification: { close(): void }
}
interface FetchedEvent extends LifeEvent {
  readonly request: Request
  respondWith(answer: Promise<Response>): void
}

const scope = self as unknown as Scope

scope.addEventListener('install', (event) => {
  const firstPage = caches.open(KEPT).then((cache) => cache.add(PAGE))
  event.waitUntil(Promise.all([scope.skipWaiting(), firstPage]))
})

scope.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([scope.clients.claim(), forgetOldCaches()]))
})

scope.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  const handling = handlingOf({
    method: request.method,
    path: pathname,
    isOurs: origin === location.origin,
    isNavigation: request.mode === 'navigate',
  })
  switch (handling) {
    case 'network':
      return
    case 'share':
      return event.respondWith(takeShare(request))
    case 'asset':
      return event.respondWith(keptFirst(request, keepingFor(event)))
    case 'page':
    case 'picture':
      return event.respondWith(newestFirst(request, handling, keepingFor(event)))
  }
})

/** A page that loaded before this worker reports the files that it consists of. */
scope.addEventListener('message', (event) => {
  const { data } = event
  if (!Array.isArray(data)) return
  event.waitUntil(
    keepAssets(
      data.filter((url) => typeof url === 'string'),
      keepingFor(event),
    ),
  )
})

/** A notification of new items leads to the page that is open, else to a new one. */
scope.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(showPage())
})

async function showPage(): Promise<void> {
  const [page] = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true })
  await (page ? page.focus() : scope.clients.openWindow(PAGE))
}

async function takeShare(request: Request): Promise<Response> {
  await putShared(caches, await request.formData())
  return Response.redirect('/space?shared=1', 303)
}

function keepingFor(event: LifeEvent): Keeping {
  return { caches, fetch: (request) => fetch(request), later: (work) => event.waitUntil(work) }
}

async function keepAssets(urls: readonly string[], keeping: Keeping): Promise<void> {
  const cache = await caches.open(KEPT)
  const isAsset = (url: string) => {
    const { origin, pathname } = new URL(url, location.href)
    const asked = { method: 'GET', path: pathname, isOurs: origin === location.origin, isNavigation: false }
    return handlingOf(asked) === 'asset'
  }
  await Promise.allSettled(urls.filter(isAsset).map((url) => keptFirst(url, keeping)))
  const assets = (await cache.keys()).filter(({ url }) => isAsset(url))
  await Promise.all(surplus(assets).map((request) => cache.delete(request)))
}

async function forgetOldCaches(): Promise<void> {
  const names = await caches.keys()
  const old = names.filter((name) => name !== KEPT && name !== SHARED)
  await Promise.all(old.map((name) => caches.delete(name)))
}
