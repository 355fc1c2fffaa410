/**
 * The work of a page's main thread, from Chromium's trace. Times are the thread's own CPU time; the compositor, the
 * raster threads and the rest of the machine are not included.
 */
import type { CDPSession, Page } from '@playwright/test'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Begin and duration in microseconds of wall clock time. */
  readonly ts: number
  readonly dur?: number
  /** Microseconds of the thread's CPU time. */
  readonly tdur?: number
}

export interface MainThread {
  /** Milliseconds of script, style, layout and paint in each frame. */
  readonly frames: readonly number[]
  /** The longest task, in milliseconds. */
  readonly longestTask: number
}

/** Script, and all parts of a frame. An event within another one is not counted again. */
const WORK = new Set([
  'EventDispatch',
  'FunctionCall',
  'FireAnimationFrame',
  'TimerFire',
  'RunMicrotasks',
  'UpdateLayoutTree',
  'Layout',
  'HitTest',
  'WebFrameWidgetImpl::BeginMainFrame',
  'WebFrameWidgetImpl::UpdateLifecycle',
  'PrePaint',
  'Paint',
  'Layerize',
  'Commit',
  'MinorGC',
  'MajorGC',
])

/** The event that begins a frame of the page. */
const FRAME = 'BeginMainThreadFrame'

const CATEGORIES = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'disabled-by-default-devtools.timeline.frame',
  'blink',
  'v8',
]

/** Records the main thread while `run` acts on the page. */
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
  const begins = mine.filter(({ name }) => name === FRAME).map(({ ts }) => ts)
  const work = outermost(mine.filter(({ name, ph }) => ph === 'X' && WORK.has(name)))
  const frames = begins
    .sort((a, b) => a - b)
    .map((from, at) => {
      const to = begins[at + 1] ?? Number.POSITIVE_INFINITY
      return work.reduce((sum, { ts, tdur = 0 }) => (ts >= from && ts < to ? sum + tdur : sum), 0) / 1000
    })
  const tasks = mine.filter(({ name }) => name === 'RunTask')
  return { frames, longestTask: Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000)) }
}

/** Returns the renderer thread of the page: the one with the frames. */
function busiestMainThread(events: readonly TraceEvent[]): string {
  const frames = new Map<string, number>()
  for (const { name, pid, tid } of events) {
    if (name !== FRAME) continue
    const thread = `${pid} ${tid}`
    frames.set(thread, (frames.get(thread) ?? 0) + 1)
  }
  const [busiest] = [...frames].sort(([, a], [, b]) => b - a)
  if (!busiest) throw new Error('the trace has no frames')
  return busiest[0]
}

/** Returns the events that lie within no other. */
function outermost(events: readonly TraceEvent[]): TraceEvent[] {
  let end = Number.NEGATIVE_INFINITY
  const sorted = events.toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
  return sorted.filter(({ ts, dur = 0 }) => {
    if (ts < end) return false
    end = ts + dur
    return true
  })
}
