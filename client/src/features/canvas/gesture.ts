/** Pointer gestures on the canvas: pan, pinch, select by a frame, hold and drag notes. */
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import { add, type Box, boxBetween, minus } from './geometry'

export type PointerInput =
  | {
      readonly type: 'down'
      readonly pointer: number
      readonly at: Point
      /** The note under the pointer; null for the ground. */
      readonly on: ItemId | null
      readonly touch: boolean
      readonly shift: boolean
      /** The space bar or the middle button is down, so the pointer pans whatever is under it. */
      readonly pans: boolean
    }
  | { readonly type: 'move'; readonly pointer: number; readonly at: Point }
  | { readonly type: 'up'; readonly pointer: number }
  /** The browser took the pointer away (pointercancel, lostpointercapture). */
  | { readonly type: 'lost'; readonly pointer: number }
  | { readonly type: 'escape' }

interface Finger {
  readonly pointer: number
  readonly at: Point
}

export type Gesture =
  | { readonly kind: 'idle' }
  | ({ readonly kind: 'pan'; readonly moved: boolean } & Finger)
  | { readonly kind: 'pinch'; readonly fingers: readonly [Finger, Finger] }
  | ({ readonly kind: 'frame'; readonly from: Point } & Finger)
  /** A note is held. It is dragged once the pointer has moved too far for a click. */
  | ({
      readonly kind: 'hold'
      readonly from: Point
      readonly note: ItemId
      readonly dragged: boolean
      readonly shift: boolean
    } & Finger)

export type GestureEffect =
  /** Captures the pointer. */
  | { readonly do: 'capture'; readonly pointer: number }
  | { readonly do: 'pan'; readonly by: Point }
  | { readonly do: 'zoom'; readonly factor: number; readonly at: Point; readonly by: Point }
  | { readonly do: 'frame'; readonly box: Box | null }
  /** The note and the selection it belongs to come to the front and stand straight. */
  | { readonly do: 'hold'; readonly note: ItemId; readonly shift: boolean }
  | { readonly do: 'drag'; readonly by: Point }
  /** The note is released. `by` is how far it was dragged; null when it goes back. */
  | { readonly do: 'release'; readonly by: Point | null }
  /** A press without a drag. */
  | { readonly do: 'press'; readonly note: ItemId | null; readonly shift: boolean }

export interface GestureStep {
  readonly gesture: Gesture
  readonly effects: readonly GestureEffect[]
}

export const IDLE: Gesture = { kind: 'idle' }

const NO_FRAME: GestureEffect = { do: 'frame', box: null }

/** Movement in px up to which a press is a click. */
const CLICK_REACH = 4

export function handleGesture(gesture: Gesture, input: PointerInput): GestureStep {
  switch (input.type) {
    case 'down':
      return down(gesture, input)
    case 'move':
      return move(gesture, input)
    case 'up':
      return end(gesture, input.pointer, true)
    case 'lost':
      return end(gesture, input.pointer, false)
    case 'escape':
      return giveUp(gesture)
  }
}

type Down = Extract<PointerInput, { type: 'down' }>

function down(gesture: Gesture, input: Down): GestureStep {
  const finger = { pointer: input.pointer, at: input.at }
  if (gesture.kind !== 'idle') {
    const canPinch = input.touch && (gesture.kind === 'pan' || gesture.kind === 'hold')
    if (!canPinch || gesture.pointer === input.pointer) return { gesture, effects: [] }
    return {
      gesture: { kind: 'pinch', fingers: [{ pointer: gesture.pointer, at: gesture.at }, finger] },
      effects: [
        { do: 'capture', pointer: gesture.pointer },
        { do: 'capture', pointer: input.pointer },
        ...released(gesture),
      ],
    }
  }
  if (input.pans) return { gesture: { kind: 'pan', moved: true, ...finger }, effects: [capture(finger)] }
  if (input.on !== null) {
    const held = { from: input.at, note: input.on, dragged: false, shift: input.shift, ...finger }
    return {
      gesture: { kind: 'hold', ...held },
      effects: [{ do: 'hold', note: input.on, shift: input.shift }],
    }
  }
  if (input.shift)
    return { gesture: { kind: 'frame', from: input.at, ...finger }, effects: [capture(finger)] }
  return { gesture: { kind: 'pan', moved: false, ...finger }, effects: [capture(finger)] }
}

function move(gesture: Gesture, { pointer, at }: Finger): GestureStep {
  switch (gesture.kind) {
    case 'pan':
      return gesture.pointer === pointer ? pan(gesture, at) : { gesture, effects: [] }
    case 'pinch':
      return pinch(gesture, { pointer, at })
    case 'frame':
      return gesture.pointer === pointer
        ? { gesture: { ...gesture, at }, effects: [{ do: 'frame', box: boxBetween(gesture.from, at) }] }
        : { gesture, effects: [] }
    case 'hold':
      return gesture.pointer === pointer ? drag(gesture, at) : { gesture, effects: [] }
    case 'idle':
      return { gesture, effects: [] }
  }
}

function pan(gesture: Extract<Gesture, { kind: 'pan' }>, at: Point): GestureStep {
  const by = minus(at, gesture.at)
  if (!gesture.moved && Math.hypot(by.x, by.y) < CLICK_REACH) return { gesture, effects: [] }
  return { gesture: { ...gesture, at, moved: true }, effects: [{ do: 'pan', by }] }
}

function drag(gesture: Extract<Gesture, { kind: 'hold' }>, at: Point): GestureStep {
  const by = minus(at, gesture.from)
  if (gesture.dragged) return { gesture: { ...gesture, at }, effects: [{ do: 'drag', by }] }
  if (Math.hypot(by.x, by.y) < CLICK_REACH) return { gesture, effects: [] }
  // Captured only now, because the click of a captured pointer would not reach the controls of the note.
  return {
    gesture: { ...gesture, at, dragged: true },
    effects: [capture(gesture), { do: 'drag', by }],
  }
}

function pinch(gesture: Extract<Gesture, { kind: 'pinch' }>, finger: Finger): GestureStep {
  const [a, b] = gesture.fingers
  if (finger.pointer !== a.pointer && finger.pointer !== b.pointer) return { gesture, effects: [] }
  const fingers: readonly [Finger, Finger] = finger.pointer === a.pointer ? [finger, b] : [a, finger]
  const before = spread(a, b)
  const after = spread(...fingers)
  return {
    gesture: { kind: 'pinch', fingers },
    effects: [
      {
        do: 'zoom',
        factor: before.length > 0 && after.length > 0 ? after.length / before.length : 1,
        at: after.middle,
        by: minus(after.middle, before.middle),
      },
    ],
  }
}

function spread(a: Finger, b: Finger): { length: number; middle: Point } {
  const way = minus(b.at, a.at)
  return { length: Math.hypot(way.x, way.y), middle: add(a.at, { x: way.x / 2, y: way.y / 2 }) }
}

function end(gesture: Gesture, pointer: number, isUp: boolean): GestureStep {
  if (gesture.kind === 'pinch') return endPinch(gesture, pointer)
  if (gesture.kind === 'idle' || gesture.pointer !== pointer) return { gesture, effects: [] }
  return { gesture: IDLE, effects: lastEffects(gesture, isUp) }
}

/** The remaining finger goes on panning. */
function endPinch(gesture: Extract<Gesture, { kind: 'pinch' }>, pointer: number): GestureStep {
  const stays = gesture.fingers.filter((finger) => finger.pointer !== pointer)
  const [left] = stays
  if (!left || stays.length === 2) return { gesture, effects: [] }
  return { gesture: { kind: 'pan', moved: true, ...left }, effects: [] }
}

function lastEffects(gesture: Exclude<Gesture, { kind: 'idle' | 'pinch' }>, isUp: boolean) {
  switch (gesture.kind) {
    case 'pan':
      return isUp && !gesture.moved ? [press(null, false)] : []
    case 'frame':
      return [NO_FRAME]
    case 'hold':
      return isUp && !gesture.dragged
        ? [...released(gesture), press(gesture.note, gesture.shift)]
        : released(gesture)
  }
}

function giveUp(gesture: Gesture): GestureStep {
  if (gesture.kind === 'hold') return { gesture: IDLE, effects: [{ do: 'release', by: null }] }
  if (gesture.kind === 'frame') return { gesture: IDLE, effects: [NO_FRAME] }
  return { gesture, effects: [] }
}

/** Releases a held note where it is. */
function released(gesture: Gesture): readonly GestureEffect[] {
  if (gesture.kind !== 'hold') return []
  return [{ do: 'release', by: gesture.dragged ? minus(gesture.at, gesture.from) : null }]
}

function capture({ pointer }: Finger): GestureEffect {
  return { do: 'capture', pointer }
}

function press(note: ItemId | null, shift: boolean): GestureEffect {
  return { do: 'press', note, shift }
}
