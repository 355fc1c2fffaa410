/** This device, which has no link, compares itself with every device that may let it in (E8). */
import type { BeamId, DeviceId } from '../protocol/bindings'
import { LettingIn, LOCKED_MS } from '../protocol/letting-in'
import type { WayIn } from '../protocol/ways-in'
import type { Trust, TurnedAway } from '../stores/trust'
import type { SecretsDoor } from '../transport/secrets-door'

type Refusal = Extract<WayIn, { op: 'refused' }>['why']

export interface ComparedJoiningEvents {
  send(to: DeviceId, way: WayIn): void
  /** @param trust null for a device that needs none any more */
  onTrust(device: DeviceId, trust: Trust | null): void
  /** A device has let this one in, after a comparison. @param signs what both showed */
  onIn(device: DeviceId, signs: readonly number[]): void
  /** @param why null where this device is not turned away any more */
  onTurnedAway(device: DeviceId, why: TurnedAway | null): void
  /** In milliseconds. */
  now(): number
}

export class ComparedJoining {
  /** The devices with which it has begun, each with what tells one beginning from the next. */
  readonly #begun = new Map<DeviceId, symbol>()
  /** The device whose welcome is being taken: until that is done, the keys seem to have come otherwise. */
  #welcoming: DeviceId | null = null
  /** Those whose person has refused this device: they are not asked again by itself. */
  readonly #refusedBy = new Set<DeviceId>()
  /** How often this device has begun anew with devices that have forgotten it. */
  readonly #anew = new LettingIn()
  /** Begins again with all devices: one may have been locked, and a message may be lost. */
  #again: { readonly at: number; readonly timer: ReturnType<typeof setTimeout> } | null = null
  #others: readonly DeviceId[] = []
  /** Whether the beam is closed to this device. */
  #isLocked = false

  constructor(
    readonly secrets: SecretsDoor,
    readonly beam: () => BeamId,
    readonly events: ComparedJoiningEvents,
  ) {}

  /** The socket is new: what was said over the old one may be lost. */
  welcomed(): void {
    for (const device of this.#begun.keys()) this.#endWith(device)
    this.#refusedBy.clear()
  }

  /** The devices that are here, or whether the beam is closed to this one, may have changed. */
  look(others: readonly DeviceId[], isLocked: boolean): void {
    this.#others = others
    this.#isLocked = isLocked
    // One that comes back may have forgotten what both had begun.
    for (const device of this.#begun.keys()) if (!others.includes(device)) this.#endWith(device)
    if (isLocked) this.#begin()
    else this.#stop()
  }

  #begin(): void {
    this.#again ??= {
      at: this.events.now() + LOCKED_MS,
      timer: setTimeout(() => this.#beginAgain(), LOCKED_MS),
    }
    for (const device of this.#others) void this.#commit(device)
  }

  #beginAgain(): void {
    this.#again = null
    for (const device of this.#begun.keys()) if (!this.#refusedBy.has(device)) this.#endWith(device)
    this.#begin()
  }

  /** What this device has begun with another one does not go on. */
  #endWith(device: DeviceId): void {
    this.#begun.delete(device)
    this.events.onTurnedAway(device, null)
  }

  #stop(): void {
    if (this.#again !== null) clearTimeout(this.#again.timer)
    this.#again = null
  }

  /** With those that have not let this device in, nothing has to be compared any more. */
  isIn(): void {
    for (const device of this.#begun.keys()) {
      if (device !== this.#welcoming) this.events.onTrust(device, null)
      this.#endWith(device)
    }
  }

  end(): void {
    this.#stop()
  }

  async #commit(device: DeviceId): Promise<void> {
    if (this.#begun.has(device)) return
    const beginning = Symbol('beginning')
    this.#begun.set(device, beginning)
    // It may have left and come back meanwhile. What is said twice is answered twice, and the second answer fits nothing.
    const isCurrent = () => this.#begun.get(device) === beginning
    try {
      const commitment = await this.secrets.commit(this.beam(), device)
      if (isCurrent()) this.events.send(device, { op: 'commit', commitment })
    } catch {
      // The next look begins again.
      if (isCurrent()) this.#begun.delete(device)
    }
  }

  /** A device has accepted. Returns what is to be done then. */
  async accepted(from: DeviceId, { op: _op, ...share }: Extract<WayIn, { op: 'accept' }>) {
    if (!this.#begun.has(from)) return () => {}
    const revealed = await this.secrets.reveal(this.beam(), from, share)
    if (!revealed) return () => this.#beginAnew(from)
    return () => {
      if (!this.#isLocked) return
      this.events.onTrust(from, { signs: revealed.signs, state: 'unverified', isIn: false })
      this.events.send(from, { op: 'reveal', ...revealed.share })
    }
  }

  /** A device that was loaded again has other pictures. It could also be somebody who tries until they are the right ones. */
  #beginAnew(device: DeviceId): void {
    const now = this.events.now()
    if (!this.#isLocked || !this.#anew.mayBegin(now)) return
    this.#anew.begins(device, now)
    this.#endWith(device)
    this.#forget(device)
    void this.#commit(device)
  }

  #forget(device: DeviceId): void {
    void this.secrets.forgetJoiner(this.beam(), device).catch(() => {})
  }

  /** The welcome of a device is being taken. Returns what is to be done once it is known whether that has let this one in. */
  welcoming(from: DeviceId): (isTaken: boolean, signs: readonly number[] | null) => void {
    const wasBegun = this.#begun.has(from)
    this.#welcoming = from
    return (isTaken, signs) => {
      this.#welcoming = null
      if (isTaken) this.#endWith(from)
      // Whatever it has said before, such as that it refuses: that could have taken the mark away.
      if (signs) this.events.onIn(from, signs)
      if (isTaken) this.isIn()
      else if (wasBegun && !this.#begun.has(from)) this.events.onTrust(from, null)
    }
  }

  refused(from: DeviceId, why: Refusal): void {
    if (!this.#begun.has(from)) return
    this.events.onTrust(from, null)
    if (why === 'keyless' || why === 'proof') this.#endWith(from)
    if (why === 'person' || why === 'proof') this.#forget(from)
    if (why === 'person') this.#refusedBy.add(from)
    if (why === 'person') this.events.onTurnedAway(from, { why })
    if (why === 'locked') this.events.onTurnedAway(from, { why, until: this.#again?.at ?? this.events.now() })
  }
}
