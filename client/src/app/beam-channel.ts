/** What the page has between itself and the live channel: items, signals and the ways in, as they are or sealed. */
import type { BeamId, Device, DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { liveItem } from '../protocol/item'
import { isEnvelope, keptKeysIn } from '../protocol/sealed-item'
import type { LiveBeam } from '../transport/live-beam'
import type { Opener } from './opening-stage'
import { isInsecure } from './sealing-choice'

/**
 * How far keys were changed. `done`: the new ones lie where they go. `not-there`: they do not, because nobody is logged in or the beam was
 * left before. `clear`: there are none to change, as far as this page was shown.
 */
export type RekeyedHere = 'done' | 'not-there' | 'clear'

export interface BeamChannel extends Opener {
  /** Whether links to other devices may be made: none before this device has been let into a sealed beam. */
  readonly mayLink: boolean
  /** Whether the signals of a direct connection to a device can be sealed, where those of the beam are (E5). */
  mayConnect(device: Device): boolean
  /** The items whose deletion the server has neither confirmed nor refused. */
  readonly deletions: readonly ItemId[]
  /**
   * Shares a new item, or replaces one of the same id (S9). `to` is the only other device that gets it (S33).
   * @param inClearTo the devices that a person had chosen to send in clear text to when this was shared (E12)
   */
  share(
    id: ItemId,
    message: unknown,
    extra: string,
    to: DeviceId | undefined,
    inClearTo: readonly DeviceId[],
  ): void
  /** Whether an item that the server has is sealed, as far as this page knows. */
  isSealed(id: ItemId): boolean
  delete(id: ItemId, message: unknown): void
  /**
   * What is shared under this id came in clear text: sealed, it says so (E12). Absent where nothing is sealed.
   */
  cameClear?(id: ItemId): void
  /**
   * An earlier page held this item back, because the beam was closed to it: in clear text it goes by choice alone (E11). Absent where
   * nothing is held back.
   */
  heldBack?(id: ItemId): void
  /** The file of an item is offered from here again, which a reload had taken. Absent where no copies are made. */
  offersAgain?(id: ItemId): void
  signal(to: DeviceId, message: unknown): void
  /** Hands a signal on, opened and in the order in which they came. */
  signalled(from: DeviceId, message: unknown, handOn: (message: unknown) => void): void
  /** A device asks to be let in, or answers (E6). */
  heard(from: DeviceId, message: unknown): void
  /** The person has opened a link of the beam, which carries this secret. */
  invited(invite: string): void
  /** The socket is new. */
  welcomed(me: DeviceId): void
  /** The socket is gone, or not there yet. */
  disconnected(): void
  /** Everything that the server has of the beam. @param dropped how many items it has no room for (S11) */
  synced(items: readonly LiveItem[], dropped?: number): void
  /** The devices that are here now, in the order in which they joined. */
  listed(devices: readonly Device[]): void
  /** This device has another name, which those that seal believe itself alone (E15). */
  renamed(): void
  /**
   * The server stores the beam, and perhaps its keys.
   * @param isMine whether the person at this device has saved it, and so gives it the keys (H52)
   * @returns what resolves once the keys are where they go, however long that takes
   */
  saved(isMine: boolean): Promise<void>
  /** Other keys may lie with the saved beam now (S38). */
  keysChanged(): void
  /**
   * The server keeps the beam, or no longer.
   * @param isMine whether this device has asked for it
   */
  kept(isKept: boolean, isMine: boolean): void
  /** The person shares in clear text, where nobody could say whether the beam is sealed (E11). */
  shareClear(): void
  /** The person has what is missing here looked for again (E14). */
  lookForMissing(): void
  /** The devices were removed from the beam, perhaps before this page has joined (S25). */
  removed(devices: readonly DeviceId[]): void
  /**
   * Changes the keys, because somebody may not read the saved beam any more who is not here.
   * @returns what resolves once that is done, however long that takes
   */
  rekey(): Promise<RekeyedHere>
  /** The beam has another id now (H28). @param isMine whether this page has renewed its link */
  move(beam: BeamId, isMine: boolean): void
  /** The beam was left: nothing is sent or handed on any more. */
  end(): void
}

/** In a beam that is not sealed, everything passes as it is. */
export class ClearChannel implements BeamChannel {
  readonly mayLink = true

  constructor(readonly live: () => LiveBeam) {}

  get deletions(): readonly ItemId[] {
    return this.live().deletions
  }

  share: BeamChannel['share'] = (id, message, extra, to) => this.live().share(id, message, extra, to)
  isSealed = () => false
  delete: BeamChannel['delete'] = (id, message) => this.live().delete(id, message)
  signal: BeamChannel['signal'] = (to, message) => this.live().signal(to, message)
  signalled: BeamChannel['signalled'] = (_from, message, handOn) => handOn(message)

  open: BeamChannel['open'] = (item, note) => {
    if (keptKeysIn(item.message) !== null) return null
    if (isEnvelope(item.message)) return unopenable()
    return liveItem(item, note)
  }

  isDeleted: BeamChannel['isDeleted'] = (message, _proof, id) => {
    // Who seals nothing tells no proof from another text.
    this.live().memory.confirmed(id, message)
    return true
  }
  mayConnect = () => true
  came(): void {}
  heard(): void {}
  invited(): void {}
  welcomed(): void {}
  disconnected(): void {}
  listed(): void {}
  renamed(): void {}
  synced(): void {}
  async saved(): Promise<void> {}
  keysChanged(): void {}
  kept(): void {}
  shareClear(): void {}
  lookForMissing(): void {}
  removed(): void {}
  async rekey(): Promise<RekeyedHere> {
    return 'clear'
  }
  move(): void {}
  end(): void {}
}

/** A page that cannot seal says so once, and not for each item that it cannot open. */
function unopenable(): null {
  if (isInsecure()) return null
  throw new Error('This page cannot open it.')
}
