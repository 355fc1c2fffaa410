/** How the files of each card have moved so far, by device. Batches are one card. */
import { createStore } from 'zustand/vanilla'
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { TransferWay } from '../protocol/way'
import { addToFlow, beginFlow, type Flow } from './flow'

/** The engine looks so often: what has moved at the first look began since the one before, in milliseconds. */
const FIRST_LOOK_MS = 250

interface Seen {
  readonly bytes: number
  readonly twice: number
}

/** What a card has sent to a device, or received from it. */
export interface CardFlow {
  readonly flow: Flow
  /** The last way; null before the first bytes. */
  readonly way: TransferWay | null
  /** Bytes of each file of the card at the last look: those that moved, and those that moved more than once. */
  readonly seen: Readonly<Record<ItemId, Seen>>
}

export type FlowsState = Readonly<Record<ItemId, Readonly<Record<DeviceId, CardFlow>>>>

export type FlowsEvent =
  | {
      readonly type: 'moved'
      /** The batch of the file, or the file itself. */
      readonly card: ItemId
      readonly file: ItemId
      readonly device: DeviceId
      /** Bytes of the file that are over. */
      readonly bytes: number
      /** Bytes of the file that went more than once; null where that is not told anew. */
      readonly twice: number | null
      /** Null while it waits. */
      readonly way: TransferWay | null
      /** Milliseconds. */
      readonly now: number
    }
  | { readonly type: 'forgotten'; readonly card: ItemId }
  | { readonly type: 'left' }

/** A report of how much of a file has moved. */
export type Moved = Extract<FlowsEvent, { type: 'moved' }>

/** Applies an event to the flows. */
export function reduceFlows(state: FlowsState, event: FlowsEvent): FlowsState {
  if (event.type === 'left') return {}
  if (event.type === 'moved') return addMoves(state, [event])
  const { [event.card]: _gone, ...others } = state
  return others
}

/** Adds what has moved of some files. However many they are, the flows are copied once. */
export function addMoves(state: FlowsState, moves: readonly Moved[]): FlowsState {
  const moved: Record<ItemId, FlowsState[ItemId]> = {}
  for (const move of moves) {
    const { card, device } = move
    const flows = moved[card] ?? state[card]
    moved[card] = { ...flows, [device]: after(flows?.[device], move) }
  }
  return { ...state, ...moved }
}

/** A file that begins again adds what it moves from then on. */
function after(old: CardFlow | undefined, { file, bytes, now, way, twice }: Moved): CardFlow {
  const seen = old?.seen[file]
  const moved = way === null ? 0 : bytes - (seen?.bytes ?? 0)
  return {
    flow: addToFlow(flowBefore(old, now), moved, now),
    way: way ?? old?.way ?? null,
    seen: { ...old?.seen, [file]: { bytes, twice: twice ?? seen?.twice ?? 0 } },
  }
}

/** A flow begins with the first byte: what waits before it makes it no longer. */
function flowBefore(old: CardFlow | undefined, now: number): Flow {
  return old && old.flow.steps.length > 0 ? old.flow : beginFlow(now - FIRST_LOOK_MS)
}

/** Bytes of a card that moved more than once. */
export function bytesTwice({ seen }: CardFlow): number {
  return Object.values(seen).reduce((sum, { twice }) => sum + twice, 0)
}

export function createFlowsStore() {
  return createStore<FlowsState>()(() => ({}))
}
