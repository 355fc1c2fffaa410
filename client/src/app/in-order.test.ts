import { beforeEach, describe, expect, it } from 'vitest'
import { InOrder } from './in-order'

let order: InOrder
let done: string[]

beforeEach(() => {
  order = new InOrder()
  done = []
})

/** Returns a step that is under way until it is told to end. */
function step(name: string) {
  let ends = () => {}
  const ended = new Promise<void>((resolve) => {
    ends = resolve
  })
  const run = async () => {
    done.push(`${name} begins`)
    await ended
    return () => done.push(`${name} ends`)
  }
  return { run, ends }
}

describe('steps in order', () => {
  it('begin at once where none is under way, also after others', async () => {
    const [first, second] = [step('first'), step('second')]
    order.run(first.run)
    expect(done).toEqual(['first begins'])
    first.ends()
    await order.done
    order.run(second.run)
    expect(done).toEqual(['first begins', 'first ends', 'second begins'])
  })

  it('begin once those before them have ended', async () => {
    const [first, second] = [step('first'), step('second')]
    order.run(first.run)
    order.run(second.run)
    second.ends()
    expect(done).toEqual(['first begins'])
    first.ends()
    await order.done
    expect(done).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  })

  it('may add the next one while they begin', async () => {
    const [first, second] = [step('first'), step('second')]
    order.run(() => {
      order.run(second.run)
      return first.run()
    })
    first.ends()
    second.ends()
    await order.done
    expect(done).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  })

  it('go on after one that fails', async () => {
    const second = step('second')
    order.run(async () => {
      throw new Error('It fails.')
    })
    order.run(second.run)
    second.ends()
    await order.done
    expect(done).toEqual(['second begins', 'second ends'])
  })

  it('do nothing any more once it has ended', async () => {
    const [first, second] = [step('first'), step('second')]
    order.run(first.run)
    order.run(second.run)
    order.end()
    first.ends()
    await order.done
    expect(done).toEqual(['first begins'])
  })
})
