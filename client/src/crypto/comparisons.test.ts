import { expect, it } from 'vitest'
import { randomBytes, toBase64Url } from './bytes'
import { Comparisons } from './comparisons'
import { Keyring } from './keyring'

const BEAM = randomBytes(16)
const [ADA, BOB, EVE] = ['ada', 'bob', 'eve']

async function member(): Promise<Comparisons> {
  return new Comparisons(await Keyring.make())
}

/** A joiner, Bob for one, joins by Ada up to what both show. */
async function meet(ada: Comparisons, bob: Comparisons, as = BOB) {
  const commitment = await bob.commit(BEAM, ADA)
  const accepted = await ada.accept(as, commitment)
  const revealed = accepted && (await bob.reveal(BEAM, ADA, accepted.share))
  const signs = revealed && (await ada.revealed(BEAM, as, revealed.share))
  if (!signs) throw new Error('They do not meet.')
  return { accepted, revealed, signs }
}

it('e8 both devices show the same four signs, and the welcome opens for the joiner alone', async () => {
  const [ada, bob, eve] = [await member(), new Comparisons(new Keyring()), new Comparisons(new Keyring())]
  const { revealed, signs } = await meet(ada, bob)
  expect(signs).toHaveLength(4)
  expect(revealed.signs).toEqual(signs)
  expect(await ada.letIn('another', signs, true)).toBeNull()
  const welcome = await ada.letIn(BOB, signs, true)
  if (!welcome) throw new Error('Bob has revealed his share.')
  expect(await eve.welcomed(BOB, ADA, welcome)).toBeNull()
  expect(await bob.welcomed(BOB, ADA, welcome)).toEqual(signs)
  expect(bob.ring.shared).toEqual(ada.ring.shared)
})

it('e8 a server in the middle makes the two show different signs, and gets no welcome', async () => {
  const [ada, bob, eve] = [await member(), new Comparisons(new Keyring()), await member()]
  const withEve = await meet(eve, bob)
  const commitment = await eve.commit(BEAM, ADA)
  const accepted = await ada.accept(BOB, commitment)
  const shown = accepted && (await eve.reveal(BEAM, ADA, accepted.share))
  const signs = shown && (await ada.revealed(BEAM, BOB, shown.share))
  expect(signs).toHaveLength(4)
  expect(signs).not.toEqual(withEve.signs)
})

it('e8 a joiner that reveals something else than it has committed itself to is not let in', async () => {
  const [ada, bob] = [await member(), new Comparisons(new Keyring())]
  await ada.accept(BOB, await bob.commit(BEAM, ADA))
  const other = new Comparisons(new Keyring())
  await other.commit(BEAM, ADA)
  const accepted = await ada.accept('another', await other.commit(BEAM, ADA))
  const revealed = accepted && (await other.reveal(BEAM, ADA, accepted.share))
  expect(revealed && (await ada.revealed(BEAM, BOB, revealed.share))).toBeNull()
  expect(await ada.letIn(BOB, [1, 2, 3, 4], true)).toBeNull()
})

it('e8 nobody chooses signs by answering twice', async () => {
  const [ada, bob] = [await member(), new Comparisons(new Keyring())]
  const { accepted, revealed } = await meet(ada, bob)
  const other = { ...accepted.share, nonce: toBase64Url(randomBytes(32)) }
  expect(await bob.reveal(BEAM, ADA, other)).toBeNull()
  expect(await ada.revealed(BEAM, BOB, { ...revealed.share, nonce: other.nonce })).toBeNull()
})

it('e8 what is said again over another socket has the same answers, also while nobody may begin', async () => {
  const [ada, bob] = [await member(), new Comparisons(new Keyring())]
  const { accepted, revealed, signs } = await meet(ada, bob)
  const commitment = await bob.commit(BEAM, ADA)
  expect(await ada.accept(BOB, commitment, false)).toEqual({ ...accepted, isNew: false })
  expect(await ada.accept('another', commitment, false)).toBeNull()
  expect(await bob.reveal(BEAM, ADA, accepted.share)).toEqual(revealed)
  expect(await ada.revealed(BEAM, BOB, revealed.share)).toEqual(signs)
})

it('e8 of two that come at once without the link, only the first is let in without a comparison', async () => {
  const ada = await member()
  const [bob, eve] = [new Comparisons(new Keyring()), new Comparisons(new Keyring())]
  const [first, second] = [await meet(ada, bob), await meet(ada, eve, EVE)]
  const [answer, refusal] = await Promise.all([
    ada.letIn(BOB, first.signs, false),
    ada.letIn(EVE, second.signs, false),
  ])
  expect(answer).not.toBeNull()
  expect(refusal).toBeNull()
  expect(ada.ring.unverified.ids).toEqual([BOB])
})
