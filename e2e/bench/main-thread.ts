/** What the main thread of a page did, read from Chromium's trace. */
import type { CDPSession, Page } from '@playwright/test'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds. */
  readonly ts: number
  readonly dur?: number
  readonly args?: { readonly name?: string; readonly data?: { readonly type?: string } }
}

export interface MainThread {
  /** For each frame the milliseconds of script, style, layout and paint. */
  readonly frames: readonly number[]
  /** The longest task, in milliseconds. */
  readonly longestTask: number
}

/** Script, style, layout and paint, as DevTools sorts them. What is in another of them is counted once. */
const WORK = new Set([
  'EventDispatch',
  'FunctionCall',
  'FireAnimationFrame',
  'TimerFire',
  'RunMicrotasks',
  'UpdateLayoutTree',
  'Layout',
  'HitTest',
  'IntersectionObserverController::computeIntersections',
  'PrePaint',
  'Paint',
  'Layerize',
  'UpdateLayer',
  'Commit',
  'MinorGC',
  'MajorGC',
])

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'blink', 'toplevel', 'v8']

/** Records while something happens on the page. */
export async function recordMainThread(page: Page, run: () => Promise<void>): Promise<MainThread> {
  const cdp = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await cdp.send('Tracing.start', {
    traceConfig: { includedCategories: CATEGORIES },
    transferMode: 'ReportEvents',
  })
  await run()
  await endTracing(cdp)
  await cdp.detach()
  return readTrace(events)
}

async function endTracing(cdp: CDPSession): Promise<void> {
  const complete = new Promise<void>((done) => cdp.once('Tracing.tracingComplete', () => done()))
  await cdp.send('Tracing.end')
  await complete
}

function readTrace(events: readonly TraceEvent[]): MainThread {
  const thread = busiestMainThread(events)
  const mine = events.filter(({ pid, tid }) => `${pid} ${tid}` === thread)
  const begins = mine.filter(({ name }) => name === 'BeginMainThreadFrame').map(({ ts }) => ts)
  const work = union(mine.filter(({ name, ph }) => ph === 'X' && WORK.has(name)))
  const frames = begins
    .sort((a, b) => a - b)
    .slice(0, -1)
    .map((from, at) => overlap(work, from, begins[at + 1] ?? from) / 1000)
  const tasks = mine.filter(({ name }) => name === 'RunTask' || name.endsWith('::RunTask'))
  return { frames, longestTask: Math.max(0, ...tasks.map(({ dur = 0 }) => dur / 1000)) }
}

/** The page's own renderer is the one that has the frames. */
function busiestMainThread(events: readonly TraceEvent[]): string {
  const frames = new Map<string, number>()
  for (const { name, pid, tid } of events) {
    if (name !== 'BeginMainThreadFrame') continue
    const thread = `${pid} ${tid}`
    frames.set(thread, (frames.get(thread) ?? 0) + 1)
  }
  const [busiest] = [...frames].sort(([, a], [, b]) => b - a)
  if (!busiest) throw new Error('the trace has no frames')
  return busiest[0]
}

type Interval = readonly [from: number, to: number]

function union(events: readonly TraceEvent[]): Interval[] {
  const joined: Interval[] = []
  for (const { ts, dur = 0 } of events.toSorted((a, b) => a.ts - b.ts)) {
    const last = joined.at(-1)
    if (last && ts <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], ts + dur)]
    else joined.push([ts, ts + dur])
  }
  return joined
}

function overlap(intervals: readonly Interval[], from: number, to: number): number {
  return intervals.reduce(
    (sum, [start, end]) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)),
    0,
  )
}
