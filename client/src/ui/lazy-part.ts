/** Parts of the page that are loaded when they are first drawn, and again after they did not come. */
import { type ComponentType, createElement, lazy } from 'react'

/** What has to happen before parts that failed are loaded again. */
const failed = new Set<() => void>()

/**
 * A component of a module that is loaded when it is first drawn. React's own `lazy` remembers a failure for as long as the
 * page lives; this one loads again once `askAgain` was called.
 */
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
): ComponentType<Props> {
  let loadNow = load
  let part: ComponentType<Props> | null = null
  const begin = () =>
    lazy(async () => {
      try {
        return { default: pick(await loadNow()) }
      } catch (error) {
        failed.add(() => {
          part = null
          loadNow = underNewAddress(error) ?? load
        })
        throw error
      }
    })
  // biome-ignore lint/correctness/noComponentHookFactories: like React's own lazy it is called once for each module, at its import
  return function LazyPart(props: Props) {
    part ??= begin()
    return createElement(part, props)
  }
}

/** Parts that did not come are loaded anew when they are next drawn. */
export function askAgain(): void {
  for (const forget of failed) forget()
  failed.clear()
}

let attempts = 0

/**
 * Firefox remembers by its address that a module did not come, so it is asked for under another one. Firefox and Chromium name
 * the address in the error; Safari does not, and needs no other.
 */
function underNewAddress<Module>(error: unknown): (() => Promise<Module>) | null {
  const [address] = (error instanceof Error && /https?:\/\/\S+\.js/.exec(error.message)) || []
  if (address === undefined || new URL(address).origin !== location.origin) return null
  attempts += 1
  const again = `${address}?again=${attempts}`
  return () => import(/* @vite-ignore */ again)
}
