/** Components whose code is loaded when they are first rendered, and loaded again after a failure. */
import { type ComponentType, createElement, lazy } from 'react'

/** Resets the parts that failed. */
const failed = new Set<() => void>()

/**
 * Returns a component whose module is loaded when it is first rendered. React's own `lazy` remembers a failure for the
 * life of the page; this one loads again after `askAgain`.
 */
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
): ComponentType<Props> {
  const loadAnew = loadable(load)
  let part: ComponentType<Props> | null = null
  const begin = () =>
    lazy(async () => {
      try {
        // A phone that changes its network in this moment loses what was loading, and the next attempt succeeds.
        return { default: pick(await loadAnew().catch(loadAnew)) }
      } catch (error) {
        failed.add(() => {
          part = null
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

/** Makes parts that failed to load try again when they are next rendered. */
export function askAgain(): void {
  for (const forget of failed) forget()
  failed.clear()
}

/** Returns a function that loads a module, and after a failure loads it anew when it is called again. */
export function loadable<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loadNow = load
  return async () => {
    try {
      return await loadNow()
    } catch (error) {
      loadNow = underNewAddress(error) ?? load
      throw error
    }
  }
}

let attempts = 0

/**
 * Firefox remembers the address of a module that failed to load, so it is imported under another address. Firefox and
 * Chromium name the address in the error; Safari does not, and needs no other address.
 */
function underNewAddress<Module>(error: unknown): (() => Promise<Module>) | null {
  const [address] = (error instanceof Error && /https?:\/\/\S+\.js/.exec(error.message)) || []
  if (address === undefined || new URL(address).origin !== location.origin) return null
  attempts += 1
  const again = `${address}?again=${attempts}`
  return () => import(/* @vite-ignore */ again)
}
