/** The ways into a sealed beam: this device asks to be let in, and lets others in (E6, E8). */
import type { BeamId, DeviceId } from '../protocol/bindings'
import { LettingIn } from '../protocol/letting-in'
import type { WayIn } from '../protocol/ways-in'
import type { Encryption } from '../stores/encryption'
import { isSameSigns } from '../stores/trust'
import type { Having } from '../transport/having'
import type { SecretsDoor } from '../transport/secrets-door'
import { ComparedJoining, type ComparedJoiningEvents } from './compared-joining'
import { Joining } from './joining'

/** So long the keys of others are asked for, in milliseconds: three devices that do not answer. */
const LEARN_WITHIN_MS = 9_000

type Refused = Extract<WayIn, { op: 'refused' }>

export interface WaysInEvents extends ComparedJoiningEvents {
  onHaving(having: Having): void
  /** A device has no key itself, or says that the link is wrong. */
  onRefused(): void
  /** A device that has a key has spoken. */
  onKeyedDevice(): void
  /** Whether the person wants to be asked before any device is let in without the link. */
  asksBefore(): boolean
  /** Whether this device has the secret of a link. */
  hasLink(): boolean
}

export class WaysIn {
  readonly #joining = new Joining((device) => void this.#ask(device))
  /** For a device that has no link. */
  readonly #compared: ComparedJoining
  readonly #lettingIn = new LettingIn()
  /** The devices that have no key themselves, each with whether it has the secret of a link. */
  readonly #keyless = new Map<DeviceId, boolean>()
  /** The devices that have said what only one says that has a key. */
  readonly #keyed = new Set<DeviceId>()
  /** The devices that are gone, and did not say that they have no key. */
  readonly #silent = new Set<DeviceId>()
  /** The devices that say that the link of this one is none of the beam. */
  readonly #refusing = new Set<DeviceId>()
  /** What devices asked before this one had a key. They are let in once it has. */
  readonly #early = new Map<DeviceId, Extract<WayIn, { op: 'join' }>>()
  #late: ReturnType<typeof setTimeout> | null = null
  /** Who waits for the keys of others. */
  #learning: { readonly promise: Promise<void>; readonly end: () => void } | null = null
  /** What this device shows to be compared, of each joiner that waits. */
  readonly #asking = new Map<DeviceId, readonly number[]>()
  /** The devices that the person has not let in, and that are here. */
  readonly #refused = new Set<DeviceId>()
  /** Those of them that are being let in. */
  readonly #entering = new Set<DeviceId>()
  #kind: Encryption['kind'] = 'unknown'
  #others: readonly DeviceId[] = []
  #me: DeviceId | null = null

  constructor(
    readonly secrets: SecretsDoor,
    readonly beam: () => BeamId,
    readonly events: WaysInEvents,
  ) {
    this.#compared = new ComparedJoining(secrets, beam, events)
  }

  /** The socket is new: what was asked over the old one may be lost. */
  welcomed(me: DeviceId): void {
    this.#me = me
    this.#refusing.clear()
    this.#joining.end()
    this.#compared.welcomed()
  }

  /** This device has the secret of another link: all are asked with that, and nothing has to be compared. */
  invited(): void {
    this.#refusing.clear()
    this.#joining.end()
    this.#compared.isIn()
  }

  /** @param others the other devices that seal and are here, in the order in which they joined */
  listed(others: readonly DeviceId[]): void {
    for (const device of this.#others.filter((one) => !others.includes(one))) {
      // One that comes back may have a key by then.
      if (!this.#keyless.delete(device)) this.#silent.add(device)
      this.#early.delete(device)
      this.#keyed.delete(device)
    }
    this.#others = others
  }

  /**
   * The devices that are here, or what the beam is to this one, may have changed.
   * @param isUndecided whether the person shares in clear text though a device may come that lets this one in
   */
  look(kind: Encryption['kind'], isUndecided = false): void {
    this.#kind = kind
    // It is not waited for any more.
    if (kind === 'clear') this.#silent.clear()
    const others = this.#others
    if (kind === 'sealed') {
      // The keys may have come otherwise, as from the deposit of a saved beam.
      this.#compared.isIn()
      this.#answerEarly()
    }
    for (const device of [...this.#asking.keys(), ...this.#refused])
      if (!others.includes(device)) this.#withdraw(device)
    this.#compared.look(others, kind === 'locked' || isUndecided)
    if (kind === 'waiting' || this.#learning) this.#joining.setDevices(others)
    else this.#joining.end()
  }

  /** Whether every other device has said that it has no key itself. */
  get isNobodyKeyed(): boolean {
    return this.#others.every((device) => this.#keyless.has(device))
  }

  /** Whether a device that is here has said what only one says that has a key. */
  get isSomebodyKeyed(): boolean {
    return this.#keyed.size > 0
  }

  /** Whether a device that is gone may have a key: what waits for it must not go out in clear text. */
  get mayComeBackKeyed(): boolean {
    return this.#silent.size > 0
  }

  /** Whether a device has no key itself, and has the secret of a link. */
  waits(device: DeviceId): boolean {
    return this.#keyless.get(device) === true
  }

  /** A device has said something: perhaps what only one says that has a key. */
  spoke(from: DeviceId, way: WayIn): void {
    if (!this.#others.includes(from) || !isOfKeyed(way)) return
    this.#keyless.delete(from)
    this.#keyed.add(from)
    this.events.onKeyedDevice()
  }

  /** A device is in. If it still waited for a person here, its keys came otherwise, as from the deposit of a saved beam. */
  cameOtherwise(device: DeviceId): void {
    this.#withdraw(device)
  }

  /** Whether all others that have keys say that the link of this device is wrong. */
  get isLinkOld(): boolean {
    const keyed = this.#others.filter((device) => !this.#keyless.has(device))
    return keyed.length > 0 && keyed.every((device) => this.#refusing.has(device))
  }

  /** Asks the others for the keys that they have and this device has not. Resolves when one has told them, or none does in time. */
  learn(): Promise<void> {
    if (this.#learning) return this.#learning.promise
    let end = () => {}
    const promise = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#learning = { promise, end }
    this.#late = setTimeout(() => this.hasLearnt(), LEARN_WITHIN_MS)
    this.#joining.setDevices(this.#others)
    return promise
  }

  /** Nobody is asked for keys any more. */
  hasLearnt(): void {
    if (this.#late !== null) clearTimeout(this.#late)
    this.#late = null
    this.#learning?.end()
    this.#learning = null
    if (this.#kind !== 'waiting') this.#joining.end()
  }

  end(): void {
    this.hasLearnt()
    this.#joining.end()
    this.#compared.end()
    this.#asking.clear()
    this.#refused.clear()
  }

  /**
   * The person says that a joiner shows the same pictures. Returns whether it waited to be let in.
   * @param signs the pictures that the person saw: a joiner that shows others since goes on waiting
   */
  confirm(device: DeviceId, signs: readonly number[]): boolean {
    if (this.#entering.has(device)) return true
    const shown = this.#asking.get(device)
    if (!shown) return false
    if (!isSameSigns(shown, signs)) return true
    this.#asking.delete(device)
    void this.#letIn(device, signs, 'verified')
    return true
  }

  /** The person says that a device that is in shows the same pictures: with it, this one was compared too. */
  compared(device: DeviceId): void {
    const devices = this.#me === null ? [device] : [device, this.#me]
    void this.secrets
      .compared(this.beam(), devices)
      .then((having) => this.events.onHaving(having))
      .catch(() => {})
  }

  /** The person refuses a joiner. */
  refuse(device: DeviceId): void {
    if (!this.#asking.delete(device)) return
    this.#refused.add(device)
    this.events.onTrust(device, { signs: [], state: 'refused', isIn: false })
    this.#forget(device)
    this.events.send(device, { op: 'refused', why: 'person' })
  }

  /** A device asks to be let in, or answers. Returns what is to be done then. */
  async heard(from: DeviceId, way: WayIn): Promise<() => void> {
    // The server could speak for a device that no person sees.
    if (!this.#others.includes(from)) return () => {}
    switch (way.op) {
      case 'join':
        return this.#joins(from, way)
      case 'commit':
        return this.#commits(from, way.commitment)
      case 'reveal':
        return this.#reveals(from, way)
      case 'accept':
        return this.#compared.accepted(from, way)
      case 'welcome':
        return this.#letsIn(from, way)
      case 'wait':
        return () => {}
      case 'refused':
        return () => this.#refuses(from, way)
      case 'device':
      case 'keys':
        // Of devices that are in (`KeyChanges`).
        return () => {}
    }
  }

  #answerEarly(): void {
    const early = [...this.#early]
    this.#early.clear()
    for (const [device, request] of early)
      void this.#joins(device, request)
        .then((answer) => answer())
        // It asks again.
        .catch(() => {})
  }

  async #ask(device: DeviceId): Promise<void> {
    // Where it fails, the next device is asked, and all again after the last.
    const request = await this.secrets.ask(this.beam()).catch(() => null)
    if (request) this.events.send(device, { op: 'join', ...request })
  }

  async #joins(from: DeviceId, { op: _op, ...request }: Extract<WayIn, { op: 'join' }>) {
    const answer = await this.secrets.answer(this.beam(), from, request)
    // It may have left meanwhile.
    if (answer === 'keyless' && this.#others.includes(from)) this.#early.set(from, { op: 'join', ...request })
    if (typeof answer === 'string') return () => this.events.send(from, this.#refusal(answer))
    return () => {
      // It has come by the link meanwhile: nobody has to compare it.
      this.#withdraw(from)
      this.#lettingIn.letsIn(from)
      this.events.send(from, { op: 'welcome', ...answer })
    }
  }

  async #commits(from: DeviceId, commitment: string): Promise<() => void> {
    const refuse = (why: 'keyless' | 'locked') => () => this.events.send(from, this.#refusal(why))
    if (this.#kind !== 'sealed') return refuse('keyless')
    const now = this.events.now()
    const accepted = await this.secrets.accept(this.beam(), from, commitment, this.#lettingIn.mayBegin(now))
    if (!accepted) return refuse('locked')
    // The answer alone tells who stands between two devices what this one would show.
    if (accepted.isNew) this.#lettingIn.begins(from, now)
    return () => this.events.send(from, { op: 'accept', ...accepted.share })
  }

  #refusal(why: Refused['why']): Refused {
    return { op: 'refused', why, ...(why === 'keyless' && { hasLink: this.events.hasLink() }) }
  }

  async #reveals(from: DeviceId, { op: _op, ...share }: Extract<WayIn, { op: 'reveal' }>) {
    const signs = await this.secrets.revealed(this.beam(), from, share)
    if (!signs) return () => this.events.send(from, { op: 'refused', why: 'proof' })
    const { hasLetIn } = await this.secrets.enter(this.beam(), null)
    // The first other device is trusted on first use, so that whoever types the id is in at once.
    const isTrusted = !hasLetIn && !this.events.asksBefore()
    return () => {
      if (isTrusted) {
        void this.#letIn(from, signs, 'unverified')
        return
      }
      this.#refused.delete(from)
      this.#asking.set(from, signs)
      this.events.onTrust(from, { signs, state: 'asking', isIn: false })
      this.events.send(from, { op: 'wait' })
    }
  }

  /** What one of the two has begun with the other is over: the next time both show other pictures. */
  #forget(device: DeviceId): void {
    void this.secrets.forgetJoiner(this.beam(), device).catch(() => {})
  }

  async #letsIn(from: DeviceId, { op: _op, ...message }: Extract<WayIn, { op: 'welcome' }>) {
    const me = this.#me
    if (me === null || (this.#kind === 'sealed' && !this.#learning)) return () => {}
    const isDone = this.#compared.welcoming(from)
    const welcomed = await this.secrets
      .welcomed(this.beam(), me, from, message, this.#kind === 'locked', this.#others)
      .catch(() => null)
    return () => {
      const isTaken = welcomed?.isTaken === true
      isDone(isTaken, welcomed?.signs ?? null)
      if (isTaken) this.hasLearnt()
      // Whoever is listed can send something that is no welcome: the others are asked on.
      else if (from === this.#joining.asked) this.#joining.next()
      if (welcomed?.isKeyed) this.events.onHaving(welcomed)
    }
  }

  async #letIn(device: DeviceId, signs: readonly number[], state: 'verified' | 'unverified'): Promise<void> {
    this.#entering.add(device)
    const welcome = await this.secrets
      .letIn(this.beam(), device, signs, state === 'verified')
      .catch(() => null)
    this.#entering.delete(device)
    if (!welcome) {
      // It shows other pictures by then, or is not known any more.
      this.events.onTrust(device, null)
      this.events.send(device, { op: 'refused', why: 'proof' })
      return
    }
    this.#lettingIn.letsIn(device)
    this.#refused.delete(device)
    this.events.onTrust(device, { signs, state, isIn: true })
    this.events.send(device, { op: 'welcome', ...welcome })
  }

  #refuses(from: DeviceId, { why, hasLink = false }: Refused): void {
    if (why === 'keyless') {
      this.#keyless.set(from, hasLink)
      this.#keyed.delete(from)
      this.#silent.delete(from)
    }
    if (why === 'proof') this.#refusing.add(from)
    if (why === 'keyless' || why === 'proof') this.events.onRefused()
    if (from === this.#joining.asked) this.#joining.next()
    this.#compared.refused(from, why)
  }

  /** A joiner is not waited for any more, or is not kept out. */
  #withdraw(device: DeviceId): void {
    const [wasAsking, wasRefused] = [this.#asking.delete(device), this.#refused.delete(device)]
    if (wasAsking || wasRefused) this.events.onTrust(device, null)
  }
}

function isOfKeyed(way: WayIn): boolean {
  switch (way.op) {
    case 'accept':
    case 'wait':
    case 'welcome':
    case 'device':
    case 'keys':
      return true
    case 'refused':
      return way.why !== 'keyless'
    case 'join':
    case 'commit':
    case 'reveal':
      return false
  }
}
