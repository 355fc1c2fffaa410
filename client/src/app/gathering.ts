/** Takes what comes one by one, as the messages of a worker, all at once. */

/**
 * Returns a function that gathers what it is given until the messages that wait already were heard, and then hands over all of it:
 * the busier the page is, the more at a time.
 */
export function gathering<One>(take: (all: readonly One[]) => void): (one: One) => void {
  let gathered: One[] = []
  const takeAll = () => {
    const all = gathered
    gathered = []
    take(all)
  }
  return (one) => {
    gathered.push(one)
    if (gathered.length === 1) inNextTask(takeAll)
  }
}

/** Runs a function in a task of its own. A timer would be late in a page that is hidden. */
function inNextTask(run: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    run()
  }
  port2.postMessage(null)
}
