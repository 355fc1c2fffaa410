/**
 * The keys that this device has of a beam, and what the beam is by them (E1): the ways in, and keys that change or are
 * deposited.
 */
import type { BeamId, Device, DeviceId, LiveItem } from '../protocol/bindings'
import { readWayIn } from '../protocol/ways-in'
import type { BeamSession } from '../stores/beam-session'
import { seals } from '../stores/devices'
import type { Encryption } from '../stores/encryption'
import { enteredSecrets } from '../transport/entered-secrets'
import { Gate } from '../transport/gate'
import type { Having } from '../transport/having'
import type { LiveBeam } from '../transport/live-beam'
import type { SecretsDoor } from '../transport/secrets-door'
import type { RekeyedHere } from './beam-channel'
import { DepositedBeamKeys } from './deposited-beam-keys'
import type { InOrder } from './in-order'
import { KeptBeamKeys } from './kept-beam-keys'
import { KeyChanges, type KeyChangesEvents } from './key-changes'
import { isSealedByForm, KeylessBeam } from './keyless-beam'
import { SealedTexts } from './sealed-texts'
import { untilTold } from './until-told'
import { WaysIn, type WaysInEvents } from './ways-in'

export interface BeamKeysEvents
  extends Pick<WaysInEvents, 'onTrust' | 'onIn' | 'onTurnedAway' | 'asksBefore'>,
    Pick<KeyChangesEvents, 'onName' | 'knowsName' | 'ownName'> {
  onChange(encryption: Encryption): void
  /** The beam is sealed, which a later page must not forget, and perhaps the secret that its link carries is known. */
  onLearnt(learnt: Pick<BeamSession, 'invite' | 'isSealed'>): void
  /** This device has been let in. */
  onKeyed(): void
  /** The removed devices that have no key of now, because this one has changed the keys itself. */
  onShutOut(devices: readonly DeviceId[]): void
  /** The other devices that were let in without the link and that nobody has compared. */
  onUnverified(devices: readonly DeviceId[]): void
  /** Whether a device was let in and is shown as not verified. */
  isUnverified(device: DeviceId): boolean
  /** What this device has deposited of a saved beam is there, unless the server refuses it. */
  onDeposited(): void
  /** Whether this device may remove others (S25). */
  mayRemove(): boolean
  /** Renews a stale login, and resolves to whether anybody is logged in. @throws when the server does not tell */
  isLoggedIn(): Promise<boolean>
}

/** What the keys need of the beam whose content they seal. */
export interface KeyedBeam {
  /** Runs a step in the order of what goes out, once it is known whether to seal. A step that fails is run again. */
  send(step: () => Promise<() => unknown>): void
  /** The devices that seal, or whether this one can, may have changed. */
  looked(sealing: readonly DeviceId[], me: DeviceId | null): void
  /** It is known whether to seal, and this device can. */
  settled(): void
  /** Whether the person has shared something that waits for that. */
  isSharing(): boolean
  /** Whether some of that was held back by an earlier page, to which the beam was closed. */
  hasHeldBack(): boolean
}

/** So long another device has to change the keys when it has removed one, before this one does. In milliseconds. */
const CHANGED_WITHIN_MS = 10_000

export class BeamKeys {
  readonly ways: WaysIn
  readonly texts: SealedTexts
  readonly #changes: KeyChanges
  readonly #secrets: SecretsDoor
  readonly #live: () => LiveBeam
  readonly #content: KeyedBeam
  readonly #events: BeamKeysEvents
  #beam: BeamId
  #me: DeviceId | null = null
  #encryption: Encryption
  /** Resolves once it has been looked up what this device has. */
  readonly #entered: Promise<void>
  /** What this device has; null until it has been looked up. */
  #having: Having | null = null
  /** The devices that seal and are here, in the order in which they joined. */
  #sealing: readonly DeviceId[] = []
  #isListed = false
  /** The item that has the keys of the beam while it is kept. */
  readonly kept: KeptBeamKeys
  /** Those that lie with a saved beam. */
  readonly #deposited: DepositedBeamKeys
  /** What the beam is as long as this device has no key. */
  readonly #keyless: KeylessBeam
  /** Opens with the id of this device. */
  readonly #named = new Gate()
  /** Opens once it is known whether to seal, and this device can. */
  readonly #settled = new Gate()
  /** Opens then too, and when nobody has let this device in for a while. */
  readonly #answered = new Gate()
  /** What comes is read in its order, also where that concerns keys. */
  readonly #incoming: InOrder
  readonly #left = new Gate()
  #hasEnded = false

  constructor(
    session: BeamSession,
    secrets: SecretsDoor,
    live: () => LiveBeam,
    incoming: InOrder,
    content: KeyedBeam,
    events: BeamKeysEvents,
  ) {
    this.#beam = session.beamId
    this.#secrets = enteredSecrets(secrets, () => secrets.enter(this.#beam, this.#having?.invite ?? null))
    this.#live = live
    this.#incoming = incoming
    this.#content = content
    this.#events = events
    this.#keyless = new KeylessBeam(session.isSealed ?? false, () => this.#look())
    const send = (to: DeviceId, way: unknown) => !this.#hasEnded && live().e2e(to, way)
    this.ways = new WaysIn(this.#secrets, () => this.#beam, {
      send,
      onHaving: (having) => {
        this.#has(having)
        this.#knowsMore()
      },
      onTrust: events.onTrust,
      onIn: events.onIn,
      onTurnedAway: events.onTurnedAway,
      onRefused: () => this.#look(),
      onKeyedDevice: () => this.#sawSealed(),
      asksBefore: events.asksBefore,
      hasLink: () => typeof this.#having?.invite === 'string',
      now: () => Date.now(),
    })
    this.#changes = new KeyChanges(this.#secrets, () => this.#beam, {
      send,
      onIn: (device) => this.ways.cameOtherwise(device),
      onName: events.onName,
      knowsName: events.knowsName,
      ownName: events.ownName,
      onHanded: (having) => this.#handed(having),
      onWarned: (having) => this.#has(having),
    })
    this.texts = new SealedTexts(this.#secrets, {
      beam: () => this.#beam,
      come: () => this.#incoming.done,
      ways: [() => this.#withdraw(), () => this.#learn()],
      onFound: () => this.#live().resync(),
    })
    this.kept = this.#keptKeys()
    this.#deposited = new DepositedBeamKeys(this.#secrets, {
      beam: () => this.#beam,
      isSealed: () => this.isSealed,
      entered: () => this.#entered,
      isLoggedIn: () => events.isLoggedIn(),
      onWithdrawn: (having, isInVaults) => {
        if (isInVaults) this.#keyless.sawSealed()
        this.#has(having)
        this.#knowsMore()
      },
      // The server need not tell the other devices that the beam is saved.
      onSent: () => this.#changes.again(),
      onDeposited: async (deposited) => {
        this.#has(deposited)
        if (deposited.went === 'exposed') return (await this.rekey()) === 'done'
        events.onDeposited()
        return true
      },
    })
    this.#encryption = this.#unknown
    events.onChange(this.#encryption)
    this.#entered = this.#enter(session.invite ?? null)
  }

  #keptKeys(): KeptBeamKeys {
    return new KeptBeamKeys({
      isSealed: () => this.isSealed,
      place: () => Math.max(this.#me === null ? 0 : this.#sealing.indexOf(this.#me), 0),
      own: () => this.own(),
      send: (step) => this.#content.send(step),
      live: this.#live,
      seal: () => this.#secrets.sealKept(this.#beam),
      open: async (sealed) => {
        await this.#entered
        return this.#untilTold(() => this.#secrets.openKept(this.#beam, sealed, this.#sealing))
      },
      onHaving: (having) => this.#has(having),
    })
  }

  get me(): DeviceId | null {
    return this.#me
  }

  get isClear(): boolean {
    return this.#encryption.kind === 'clear'
  }

  get isSealed(): boolean {
    return this.#encryption.kind === 'sealed'
  }

  /** Whether it is known whether to seal, and this device can. */
  get isSettled(): boolean {
    return this.isClear || this.isSealed
  }

  /** The devices that seal and are here, in the order in which they joined. */
  get sealing(): readonly DeviceId[] {
    return this.#sealing
  }

  /** The other devices that seal. */
  get others(): readonly DeviceId[] {
    return this.#sealing.filter((device) => device !== this.#me)
  }

  async untilSettled(): Promise<void> {
    while (!this.isSettled) await this.#settled.wait()
  }

  /** Resolves to whether it is known whether to seal, and this device can; to false where nobody has let it in for a while. */
  async untilAnswered(): Promise<boolean> {
    while (!this.isSettled && !this.#isLeftOutside) await this.#answered.wait()
    return this.isSettled
  }

  get #unknown(): Encryption {
    return { kind: 'unknown', isSuspected: this.#keyless.isSuspected }
  }

  get #isLeftOutside(): boolean {
    const { kind } = this.#encryption
    return this.#keyless.isOverdue && (kind === 'locked' || kind === 'waiting')
  }

  /** The person shares in clear text, where nobody could say whether the beam is sealed. */
  shareClear(): void {
    if (this.#encryption.kind !== 'locked' || !this.#encryption.mayShareClear) return
    this.#keyless.choose()
    this.#look()
  }

  /** Something that waited to be shared was taken back. */
  tookBack(): void {
    this.#look()
  }

  /** Resolves to the id of this device. */
  async own(): Promise<DeviceId> {
    while (this.#me === null) await this.#named.wait()
    return this.#me
  }

  heard(from: DeviceId, message: unknown): void {
    const way = readWayIn(message)
    if (!way) return
    this.#incoming.run(async () => {
      await this.#entered
      this.ways.spoke(from, way)
      if (way.op === 'device') return this.#changes.introduced(from, way)
      if (way.op === 'keys') return this.#changes.handed(from, way)
      return this.ways.heard(from, way)
    })
  }

  /** The person has opened a link of the beam. What waits here goes on waiting, for those who know its secret. */
  invited(invite: string): void {
    // Before the worker has it: a link with a secret never falls back.
    this.#keyless.entered()
    this.#look()
    void this.#entered.then(() => this.#enter(invite))
  }

  welcomed(me: DeviceId): void {
    this.#me = me
    this.#named.open()
    this.#showUnverified()
    this.ways.welcomed(me)
    this.#changes.welcomed(me)
    this.#keyless.welcomed()
  }

  disconnected(): void {
    this.#keyless.disconnected()
    this.kept.disconnected()
  }

  listed(devices: readonly Device[]): void {
    const before = this.others
    this.#sealing = devices.filter(seals).map(({ device_id }) => device_id)
    if (this.others.some((device) => !before.includes(device))) this.texts.seekAgain()
    this.#isListed = true
    this.#changes.listed(
      devices.map(({ device_id }) => device_id),
      this.others,
    )
    this.ways.listed(this.others)
    this.#keyless.listed(this.others)
    this.#look()
  }

  /** This device has another name. */
  renamed(): void {
    this.#changes.again()
  }

  synced(items: readonly LiveItem[]): void {
    this.kept.synced(items)
    this.#keyless.synced(items)
    this.#look()
  }

  /** An item has come that begins as an envelope. */
  sawEnvelope(message: string): void {
    if (this.isSealed || !isSealedByForm(message)) return
    this.#keyless.cameSealed()
    this.#look()
  }

  #sawSealed(): void {
    this.#keyless.sawSealed()
    this.#look()
  }

  /** Resolves once the keys are where they go. */
  saved(isMine: boolean): Promise<void> {
    // Those of a saved beam lie elsewhere: whoever has the link alone is not to read what comes from now on.
    this.kept.turned(false, isMine)
    return this.#deposited.saved(isMine)
  }

  /** Other keys may lie with the saved beam now. */
  keysChanged(): void {
    this.#deposited.changed()
  }

  removed(devices: readonly DeviceId[]): void {
    if (this.isClear) return
    const change = () =>
      void this.#change(() =>
        this.#secrets.removed(this.#beam, devices, devices.filter(this.#events.isUnverified)),
      )
    // The person here may do so, whatever the server says by now.
    if (this.#live().hasRemoved(devices)) change()
    // The device that has removed it may have been closed before it could change the keys.
    else if (this.#events.mayRemove()) setTimeout(change, CHANGED_WITHIN_MS)
  }

  /** Changes the keys (`BeamChannel.rekey`). */
  rekey(): Promise<RekeyedHere> {
    const change = async () => {
      if (!this.isClear) await this.#change(() => this.#secrets.rekey(this.#beam, []))
      // That may have turned out only meanwhile.
      if (this.isClear) return 'clear'
      return (await this.#deposited.areThere()) ? 'done' : 'not-there'
    }
    return Promise.race([change(), this.#left.wait().then(() => 'not-there' as const)])
  }

  move(beam: BeamId, isMine: boolean): void {
    const before = this.#beam
    this.#beam = beam
    // It enters the beam of before by itself where the worker was replaced.
    const moved = this.#untilTold(() => this.#secrets.moved(before, beam, isMine))
    if (isMine) void this.#change(() => moved)
    else void moved.then((having) => having && this.#has(having))
  }

  /** The beam was left. */
  end(): void {
    this.#hasEnded = true
    this.#left.open()
    this.#deposited.end()
    this.kept.end()
    this.ways.end()
    this.#keyless.end()
  }

  /**
   * Changes the keys, in the order of what goes out: what is sealed with the new ones comes to devices that have them already. Resolves once
   * that is done.
   */
  #change(make: () => Promise<Having | null>): Promise<void> {
    // A step that fails is tried again, and must not change them twice.
    let made: Having | null = null
    return new Promise((resolve) =>
      this.#content.send(async () => {
        made ??= await make()
        const having = made
        if (!having?.isKeyed) return resolve
        const forAll = await this.#changes.forAll()
        const shareKept = await this.kept.changed()
        return () => {
          this.#changes.hand(forAll)
          shareKept()
          this.#changed(having)
          resolve()
        }
      }),
    )
  }

  #changed(having: Having): void {
    this.#has(having)
    this.#deposited.deposit(having)
  }

  /** Another device has handed over keys, which may be newer. */
  #handed(having: Having): void {
    this.ways.hasLearnt()
    if (this.#areOther(having)) this.#changed(having)
    else this.#has(having)
    this.#knowsMore()
  }

  /** Whether the keys are others than before. A key that was made where none was found (E11) has the invite of the beam's own. */
  #areOther({ current, invite }: Having): boolean {
    return current !== this.#having?.current || invite !== this.#having.invite
  }

  #has(having: Having): void {
    if (this.#hasEnded) return
    const areOther = this.#areOther(having)
    this.#having = having
    this.#events.onShutOut(having.shutOut)
    this.#showUnverified()
    // As when two devices were removed at once by two others.
    if (having.uncovered.length > 0) this.removed(having.uncovered)
    const { isKeyed, invite } = having
    // Anybody can share something that only looks sealed: a later page, which may find it gone, is not told of that.
    if (isKeyed || invite !== null) {
      this.#keyless.entered()
      this.#events.onLearnt({ isSealed: true, ...(invite !== null && { invite }) })
    }
    // However they came: what this device has told under those of before counts no more (E15).
    if (areOther) this.#changes.again()
    this.#look()
  }

  /** This device may be one of them: that is for the others to know. */
  #showUnverified(): void {
    if (this.#having === null || this.#me === null) return
    this.#events.onUnverified(this.#having.unverified.filter((device) => device !== this.#me))
  }

  /** Keys that this device does not know may be in the deposit of a saved beam. */
  async #withdraw(): Promise<void> {
    const having = await this.#deposited.withdraw(this.#having)
    if (having) this.#has(having)
  }

  /** Asks the other devices for keys that this one does not know. */
  async #learn(): Promise<void> {
    this.#changes.again()
    await this.ways.learn()
  }

  /** What could not be opened until now may open. Everything is asked for again only then: answers come as often as questions. */
  #knowsMore(): void {
    const look = async () => {
      if (await this.texts.findUnknown()) this.#live().resync()
    }
    void look().catch(() => {})
  }

  /** Decides what the beam is by what this device has and has seen of it. */
  #look(): void {
    const decided = this.#decided()
    const isChanged = !isSame(decided, this.#encryption)
    this.#encryption = decided
    if (isChanged) this.#events.onChange(decided)
    this.ways.look(decided.kind, this.#keyless.isChosen)
    this.#keyless.look(decided.kind)
    this.#content.looked(this.isSealed ? this.#sealing : [], this.#me)
    this.#changes.look(this.isSealed)
    this.kept.look()
    if (this.#having?.hasOtherLink && this.others.length > 0) void this.ways.learn()
    this.#makeKey()
    // Also when it is so again, as after keys were looked for in vain that may lie with a saved beam.
    if (this.#isLeftOutside) this.#answered.open()
    if (!isChanged || !this.isSettled) return
    this.#settled.open()
    this.#answered.open()
    this.#content.settled()
    this.#events.onKeyed()
  }

  #decided(): Encryption {
    if (this.#having === null) return this.#unknown
    if (this.#having.isKeyed) return { kind: 'sealed', isDeposited: this.#having.isDeposited }
    if (this.#deposited.isAwaited) return this.#unknown
    // A link that carries a secret never falls back.
    if (this.#having.invite !== null) return { kind: 'waiting', isLinkOld: this.ways.isLinkOld }
    if (!this.#isListed || !this.#keyless.wasTold) return this.#unknown
    const { isNobodyKeyed, isSomebodyKeyed, mayComeBackKeyed } = this.ways
    const isLinkHere = this.others.some((device) => this.ways.waits(device))
    const [isSharing, hasHeldBack] = [this.#content.isSharing(), this.#content.hasHeldBack()]
    return this.#keyless.decide({
      isNobodyKeyed,
      isSomebodyKeyed,
      mayComeBackKeyed,
      isLinkHere,
      isSharing,
      hasHeldBack,
    })
  }

  /** Makes a key where nobody has one and nothing is sealed: else devices with the link would wait for each other. */
  #makeKey(): void {
    const isWanted = this.#encryption.kind === 'waiting' && this.#keyless.isEmpty && this.ways.isNobodyKeyed
    const first = this.#sealing.find((device) => device === this.#me || this.ways.waits(device))
    if (!isWanted || first !== this.#me) return
    this.#incoming.run(async () => {
      const having = await this.#secrets.makeKey(this.#beam)
      return () => this.#has(having)
    })
  }

  /** Looks up what this device has. */
  async #enter(invite: string | null): Promise<void> {
    const having = await this.#untilTold(() => this.#secrets.enter(this.#beam, invite))
    if (!having) return
    if (invite !== null) this.ways.invited()
    this.#has(having)
    if (invite !== null) this.kept.invited()
  }

  /** Resolves to null when the beam was left. */
  #untilTold<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
    return untilTold(ask, () => !this.#hasEnded)
  }
}

function isSame(one: Encryption, other: Encryption): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
