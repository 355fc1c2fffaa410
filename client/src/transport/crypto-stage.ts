/** For tests on fake time: WebCrypto works on threads of its own, which know nothing of it. */
import { vi } from 'vitest'

const working = new Set<Promise<unknown>>()

/** Notes what a function of WebCrypto was asked, until it has answered. */
function follow(name: 'encrypt' | 'decrypt' | 'sign' | 'importKey'): void {
  const { subtle } = crypto
  const ask: (...given: never[]) => Promise<unknown> = subtle[name].bind(subtle)
  vi.spyOn(subtle, name).mockImplementation((...given: unknown[]) => {
    const answer = ask(...(given as never[]))
    working.add(answer)
    const isAnswered = () => void working.delete(answer)
    answer.then(isAnswered, isAnswered)
    return answer as never
  })
}

for (const name of ['encrypt', 'decrypt', 'sign', 'importKey'] as const) follow(name)

/** Waits for everything that WebCrypto was asked, and for what is asked next because of the answers. */
export async function cryptoSettles(): Promise<void> {
  while (working.size > 0) {
    await Promise.allSettled(working)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
