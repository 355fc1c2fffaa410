/** Keeps the keys of a sealed beam the same on all devices that are in, when one of them changes the keys (E15). */
import type { WelcomeMessage } from '../crypto/state-welcome'
import type { BeamId, DeviceId } from '../protocol/bindings'
import { cleanDeviceName } from '../protocol/names'
import type { WayIn } from '../protocol/ways-in'
import type { Having } from '../transport/having'
import type { SecretsDoor } from '../transport/secrets-door'

export interface KeyChangesEvents {
  send(to: DeviceId, way: WayIn): void
  /** A device has shown that it has the key that seals. */
  onIn(device: DeviceId): void
  /** What a device calls itself, this one too: the word of the server counts no more. */
  onName(device: DeviceId, name: string): void
  /** Whether a device has said its name. */
  knowsName(device: DeviceId): boolean
  /** What this device calls itself. */
  ownName(): string
  /** Another device has handed over what it has. */
  onHanded(having: Having): void
  /** A device has told of others that were not compared, or that the keys were deposited. */
  onWarned(having: Having): void
}

/** What a device is to be handed. */
export type HandedTo = readonly [device: DeviceId, keys: WelcomeMessage]

export class KeyChanges {
  /** The devices that this one has told its public key and its name, with the keys of now and over the socket of now. */
  readonly #told = new Set<DeviceId>()
  /** All devices that are here, and those of them that seal, without this one. */
  #here: readonly DeviceId[] = []
  #others: readonly DeviceId[] = []
  #isKeyed = false
  #me: DeviceId | null = null

  constructor(
    readonly secrets: SecretsDoor,
    readonly beam: () => BeamId,
    readonly events: KeyChangesEvents,
  ) {}

  /** The socket is new: what was told over the old one may be lost. */
  welcomed(me: DeviceId): void {
    this.#me = me
    this.#told.clear()
  }

  listed(here: readonly DeviceId[], others: readonly DeviceId[]): void {
    this.#here = here
    this.#others = others
    for (const device of this.#told) if (!others.includes(device)) this.#told.delete(device)
  }

  /** Whether this device is in may have changed, or who is here. */
  look(isKeyed: boolean): void {
    this.#isKeyed = isKeyed
    if (!isKeyed) return
    if (this.#me !== null) this.events.onName(this.#me, this.events.ownName())
    for (const device of this.#others.filter((one) => !this.#told.has(one)))
      void this.#introduce(device, false)
  }

  /** Tells all others this device's key and name again: those that have other keys hand theirs over, or are handed these. */
  again(): void {
    this.#told.clear()
    this.look(this.#isKeyed)
  }

  /** Returns what the others are to be handed, each for itself. Those whose key is not known are left out. */
  async forAll(): Promise<readonly HandedTo[]> {
    const me = this.#me
    if (me === null) return []
    const sealed = await Promise.all(
      this.#others.map(
        async (device) => [device, await this.secrets.handTo(this.beam(), device, me)] as const,
      ),
    )
    return sealed.flatMap(([device, keys]): HandedTo[] => (keys ? [[device, keys]] : []))
  }

  hand(all: readonly HandedTo[]): void {
    for (const [device, keys] of all) this.events.send(device, { op: 'keys', ...keys })
  }

  /** A device tells its key and its name. Returns what is to be done then. */
  async introduced(from: DeviceId, { sealed, isAnswer }: Extract<WayIn, { op: 'device' }>) {
    const me = this.#me
    if (me === null || !this.#others.includes(from)) return () => {}
    const { keys, isAsking, isIn, having, name } = await this.secrets.introduced(
      this.beam(),
      from,
      me,
      sealed,
    )
    // It comes from another device, which may be of another version.
    const shown = name === null ? '' : cleanDeviceName(name)
    return () => {
      if (isIn) this.events.onIn(from)
      if (having) this.events.onWarned(having)
      if (shown !== '') this.events.onName(from, shown)
      if (keys) this.hand([[from, keys]])
      // An answer is not answered, or two devices that know nothing of each other's keys would go on for ever.
      if (isAsking && !isAnswer) void this.#introduce(from, true)
    }
  }

  /** A device hands over what it has, which counts of those alone that people see here. Returns what is to be done then. */
  async handed(from: DeviceId, { op: _op, ...message }: Extract<WayIn, { op: 'keys' }>) {
    const me = this.#me
    if (me === null || !this.#others.includes(from)) return () => {}
    const handed = await this.secrets.handed(this.beam(), from, me, message, [me, ...this.#here])
    return () => handed && this.events.onHanded(handed)
  }

  async #introduce(device: DeviceId, isAnswer: boolean): Promise<void> {
    const me = this.#me
    if (me === null) return
    this.#told.add(device)
    try {
      const naming = { name: this.events.ownName(), hasYours: this.events.knowsName(device) }
      const sealed = await this.secrets.introduce(this.beam(), me, device, naming)
      this.events.send(device, { op: 'device', sealed, isAnswer })
    } catch {
      // The worker was replaced: the next look tells it.
      this.#told.delete(device)
    }
  }
}
