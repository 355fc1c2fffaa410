/** What the devices of a beam have in common, as a welcome (E6) and `keys` (E15) tell it, and as it is kept for a later page. */
import * as v from 'valibot'
import { MOST_UNVERIFIED } from './unverified-devices'

/** How often the beam key, and the invite, of a beam were changed. */
export type Changes = readonly [keys: number, invites: number]

/** All keys are base64url, and devices are named by their ids. */
export interface SharedKeys {
  readonly keys: readonly string[]
  /** The id of the key that seals. */
  readonly current: string
  readonly invite: string
  /** Whether a device was ever let in besides the one that made the beam (E8). */
  readonly hasLetIn: boolean
  /** Whether the server may have the keys, because they are or were deposited (E9). Once it may, it always may. */
  readonly isDeposited: boolean
  /** Whether the keys of the saved beam are in vaults (E18), which the server cannot open: nobody deposits them then. */
  readonly isVaulted?: boolean | undefined
  readonly changes: Changes
  /** The public key of each device that is known to be in (E15). */
  readonly devices: Readonly<Record<string, string>>
  /** The devices that were removed before the key that seals was made, those removed last at the end. */
  readonly removed: readonly string[]
  /** The devices that were let in without the link and that nobody has compared (E8). */
  readonly unverified: readonly string[]
}

/**
 * Why a device deposits the keys of a saved beam (E9), or does not. Of two that pages of a browser have kept, the later here counts: who
 * has the keys from the deposit deposits them until it was welcomed, because what it was told then the server may not have.
 */
const DEPOSIT_REASONS = ['none', 'withdrawn', 'welcomed', 'saved'] as const
export type DepositReason = (typeof DEPOSIT_REASONS)[number]

export function laterReason(one: DepositReason, other: DepositReason): DepositReason {
  return DEPOSIT_REASONS.indexOf(one) > DEPOSIT_REASONS.indexOf(other) ? one : other
}

/** What is kept of them in this browser. */
export interface KeptShared extends SharedKeys {
  /** Of which this device's own key pair follows. */
  readonly own: string
  /** The ids of earlier invites: their links open nothing. */
  readonly past: readonly string[]
  /** All devices that were removed, perhaps after the key that seals was made. */
  readonly gone: readonly string[]
  /** Those of them without which this device has changed the keys itself. */
  readonly shutOut: readonly string[]
  /** The devices that a person at this one has compared. */
  readonly compared: readonly string[]
  /** Those that were not compared and that this device has let in itself. */
  readonly letIn: readonly string[]
  readonly depositReason: DepositReason
  /** The account that has saved the beam on this device: several people may use it. */
  readonly savedBy?: string | undefined
  /** Whether the server has said that it stores the beam. */
  readonly isStored?: boolean | undefined
  /** Whether the server may have the key that seals, also where later ones go into vaults. */
  readonly isExposed?: boolean | undefined
  /** What names the beam in the vault of the person at this device, once that is known. */
  readonly inVault?: VaultTag | undefined
  /** The ends of shares that this device knows of (E18). */
  readonly ends?: readonly string[] | undefined
  readonly move?: Move | undefined
}

/** What names a beam in a vault (E18): another vault of the same person has another one. */
export interface VaultTag {
  /** The public key of the vault. */
  readonly vault: string
  readonly tag: string
}

/** What was seen last of a beam in a vault (E18). */
export interface Seen {
  /** The ends of shares. */
  readonly ends: readonly string[]
  readonly changes: Changes
}

/** Returns all that two have seen. */
export function laterSeen(one: Seen, other: Seen): Seen {
  return {
    ends: [...new Set([...one.ends, ...other.ends])],
    changes: isBehind(one.changes, other.changes) ? other.changes : one.changes,
  }
}

/** Whether keys were changed less often: with what is behind nobody seals who has seen the other. */
export function isBehind([keys, invites]: Changes, [otherKeys, otherInvites]: Changes): boolean {
  return (keys - otherKeys || invites - otherInvites) < 0
}

/** The ids of a key that the server may have, and of the one that took its place on this device, to go into vaults (E18). */
export interface Move {
  readonly from: string
  readonly to: string
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A device's id is a UUID. What is none names no device. */
const DEVICE_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const unverified = v.pipe(
  v.array(v.string()),
  v.transform((ids) => ids.filter((id) => DEVICE_ID.test(id)).slice(0, MOST_UNVERIFIED)),
)
/** What another device tells of those that were not compared. One of an earlier version tells of none. */
export const unverifiedSchema = v.optional(unverified, [])

/** The fields of what a welcome tells. */
export const sharedFields = {
  keys: v.array(v.string()),
  current: v.string(),
  invite: v.string(),
  hasLetIn: v.boolean(),
  isDeposited: v.boolean(),
  isVaulted: v.optional(v.boolean()),
  changes: v.tuple([count, count]),
  devices: v.record(v.string(), v.string()),
  removed: v.array(v.string()),
  unverified: unverifiedSchema,
}
const sharedSchema = v.object(sharedFields)
const keptSchema = v.object({
  ...sharedFields,
  own: v.string(),
  past: v.array(v.string()),
  gone: v.array(v.string()),
  shutOut: v.optional(v.array(v.string()), []),
  compared: v.optional(v.array(v.string()), []),
  letIn: v.optional(v.array(v.string()), []),
  depositReason: v.optional(v.picklist(DEPOSIT_REASONS), 'none'),
  savedBy: v.optional(v.string()),
  isStored: v.optional(v.boolean()),
  isExposed: v.optional(v.boolean()),
  inVault: v.optional(v.object({ vault: v.string(), tag: v.string() })),
  ends: v.optional(v.array(v.string())),
  move: v.optional(v.object({ from: v.string(), to: v.string() })),
})

/** Reads what a welcome tells. It was sealed by a device of the beam, which may be of another version. */
export function sharedIn(json: string): SharedKeys | null {
  return read(sharedSchema, json)
}

/** Reads what an earlier page has kept. */
export function keptIn(json: string): KeptShared | null {
  return read(keptSchema, json)
}

function read<Schema extends v.GenericSchema>(schema: Schema, json: string): v.InferOutput<Schema> | null {
  try {
    const parsed = v.safeParse(schema, JSON.parse(json))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

type State = Pick<SharedKeys, 'changes' | 'current' | 'invite'>

/**
 * Returns a positive number when one state is newer than another. More changes of the key count before more of the invite, because
 * a removed device has the old key. Of two changes made at once, all devices take the same.
 */
export function compareStates(one: State, other: State): number {
  const [keys, invites] = one.changes
  const [otherKeys, otherInvites] = other.changes
  return (
    keys - otherKeys ||
    invites - otherInvites ||
    compareTexts(one.current + one.invite, other.current + other.invite)
  )
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one > other ? 1 : -1
}
