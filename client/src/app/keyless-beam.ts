/**
 * What a beam is to a device that has neither a key of it nor the secret of its link: clear, or locked (E11). Whoever is
 * asleep cannot say whether it has a key, so that is not waited for without an end.
 */
import { fromBase64Url } from '../crypto/bytes'
import { headerOf } from '../crypto/envelope'
import type { DeviceId, LiveItem } from '../protocol/bindings'
import { isEnvelope, keptKeysIn, partEnvelope } from '../protocol/sealed-item'
import type { Encryption } from '../stores/encryption'

/** So long the others have to say whether they have a key, in milliseconds. One that is awake needs a moment. */
export const ANSWERED_WITHIN_MS = 10_000
/** The time is counted in steps of so many milliseconds, because a page that a phone has frozen hears nobody. */
const STEP_MS = 1_000

/**
 * What says that the beam is sealed. `seen`: an envelope, or a device that says it has a key, which anybody can make up.
 * `known`: this browser has had a key, or a link with a secret, and never falls back.
 */
type Evidence = 'none' | 'seen' | 'known'

/** What the other devices have said, and what waits here. */
export interface Heard {
  /** Whether every other device has said that it has no key. */
  readonly isNobodyKeyed: boolean
  /** Whether a device that is here has said what only one says that has a key. */
  readonly isSomebodyKeyed: boolean
  /** Whether a device that is gone may have a key. */
  readonly mayComeBackKeyed: boolean
  /** Whether a device that is here has the secret of the link, and so makes a key or waits for one. */
  readonly isLinkHere: boolean
  /** Whether the person has shared something that waits until it is known whether to seal. */
  readonly isSharing: boolean
  /** Whether some of that was held back by an earlier page, which may have heard more than this one. */
  readonly hasHeldBack: boolean
}

export class KeylessBeam {
  #evidence: Evidence
  /** Whether something is in the beam that is sealed by its form, and something in clear text; null before the server has told. */
  #content: { readonly hasSealed: boolean; readonly hasClear: boolean } | null = null
  /** Whether the socket of now has told so: while this device heard nothing, others may have sealed something. */
  #isTold = false
  #others: readonly DeviceId[] = []
  /** The others have had their time to answer. */
  #isOverdue = false
  /** They have had it once: whoever makes up new devices cannot take the choice away again. */
  #isOffered = false
  /** The next step of that time; null while it does not run. */
  #timer: ReturnType<typeof setTimeout> | null = null
  /** Whether this device is closed out, and whether it could hear of it if it were let in. */
  #isOutside = false
  #isConnected = false
  #isChosen = false
  /** Whether the beam is clear to this page. */
  #isClearNow = false
  /** Whether the beam was clear to this page before: then nobody had a key. */
  #wasClear = false
  readonly #onOverdue: () => void

  /** @param isKnown whether an earlier page knew that the beam is sealed */
  constructor(isKnown: boolean, onOverdue: () => void) {
    this.#evidence = isKnown ? 'known' : 'none'
    this.#onOverdue = onOverdue
  }

  /** Whether nothing that is sealed is in the beam, as the socket of now has told. */
  get isEmpty(): boolean {
    return this.#isTold && this.#content?.hasSealed === false
  }

  /** Whether any socket has told what is in the beam. */
  get wasTold(): boolean {
    return this.#content !== null
  }

  /** Whether anything says that the beam is sealed. */
  get isSuspected(): boolean {
    return this.#evidence !== 'none'
  }

  /** Whether those that could let this device in have had their time. */
  get isOverdue(): boolean {
    return this.#isOverdue
  }

  /** Whether the person shares in clear text where that could not be known. */
  get isChosen(): boolean {
    return this.#isChosen
  }

  /** Everything that the server has. */
  synced(items: readonly LiveItem[]): void {
    this.#isTold = true
    const forAll = items.filter(({ to }) => to === undefined)
    this.#content = {
      hasSealed: items.some(({ message }) => isSealedByForm(message)),
      hasClear: forAll.some(({ message }) => !isSealedByForm(message)),
    }
    if (this.#content.hasSealed) this.cameSealed()
  }

  /** Something that is sealed by its form has come since. */
  cameSealed(): void {
    if (this.#content) this.#content = { ...this.#content, hasSealed: true }
    if (!this.isSuspected) this.sawSealed()
  }

  /** Something was seen that is there in sealed beams only. What the person has chosen before was chosen without that. */
  sawSealed(): void {
    if (this.#evidence === 'none') this.#evidence = 'seen'
    this.#isChosen = false
  }

  /** This device has keys, or a link with a secret. */
  entered(): void {
    this.#evidence = 'known'
    this.#isChosen = false
  }

  /** @param others the other devices that seal and are here: one that has come gets its time to answer */
  listed(others: readonly DeviceId[]): void {
    if (others.some((device) => !this.#others.includes(device))) this.#isOverdue = false
    this.#others = others
  }

  /** What the beam is to this device may have changed. Nobody who comes meanwhile puts the end of the time off. */
  look(kind: Encryption['kind']): void {
    this.#isClearNow = kind === 'clear'
    this.#wasClear ||= this.#isClearNow
    this.#isOutside = kind === 'locked' || kind === 'waiting'
    this.#count()
  }

  /** The socket is new: what the others have said to the one before may be lost. */
  welcomed(): void {
    this.end()
    this.#isConnected = true
    this.#isTold = false
    this.#count()
  }

  /** Nobody is heard any more. */
  disconnected(): void {
    this.#isConnected = false
    this.end()
  }

  #count(): void {
    if (!this.#isOutside || !this.#isConnected) return this.end()
    if (this.#timer === null && !this.#isOverdue) this.#step(ANSWERED_WITHIN_MS)
  }

  #step(left: number): void {
    this.#timer = setTimeout(() => {
      if (left > STEP_MS) return this.#step(left - STEP_MS)
      this.#timer = null
      this.#isOverdue = true
      this.#isOffered = true
      this.#onOverdue()
    }, STEP_MS)
  }

  /** The person shares in clear text, and has read what follows. */
  choose(): void {
    this.#isChosen = true
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  decide(heard: Heard): Encryption {
    if (this.#isChosen || this.#isClear(heard)) return { kind: 'clear' }
    // What only looks sealed must not shut anybody out. Whoever can be let in is to be.
    const mayShareClear = this.#isOffered && this.#evidence !== 'known' && !heard.isSomebodyKeyed
    return { kind: 'locked', isSuspected: this.isSuspected, mayShareClear }
  }

  #isClear({ isNobodyKeyed, mayComeBackKeyed, isLinkHere, isSharing, hasHeldBack }: Heard): boolean {
    // What an earlier socket has told opens nothing. What was open stays so, with its links to other devices.
    if (!this.isEmpty && !this.#isClearNow) return false
    if (this.isSuspected || isLinkHere || hasHeldBack) return false
    if (isNobodyKeyed && !mayComeBackKeyed) return true
    // What was shared here before that was known goes out in clear text by choice alone.
    if (isSharing) return false
    // One that only passes by shuts nobody out who had no need of a key, and others have shared in clear text.
    return (isNobodyKeyed && this.#wasClear) || (this.#isOverdue && this.#content?.hasClear === true)
  }
}

/** Whether a message may be sealed. A text that only begins so shuts nobody out of a beam that is clear. */
export function isSealedByForm(message: unknown): boolean {
  const kept = keptKeysIn(message)
  if (kept !== null) return (fromBase64Url(kept)?.byteLength ?? 0) > 0
  return isEnvelope(message) && headerOf(partEnvelope(message).envelope) !== null
}
