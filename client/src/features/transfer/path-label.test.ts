import { expect, it } from 'vitest'
import type { TransferWay } from '../../protocol/way'
import { detailOf, labelOf } from './path-label'

const none = { direct: 0, turn: 0, server: false }

it.each<[TransferWay, string]>([
  [{ ...none, direct: 1 }, 'Direct'],
  [{ ...none, direct: 8 }, 'Direct'],
  [{ ...none, turn: 1 }, 'via TURN'],
  [{ ...none, turn: 4 }, 'via TURN'],
  [{ ...none, server: true }, 'via server'],
  [{ ...none, direct: 8, server: true }, 'Direct and via server'],
  [{ ...none, direct: 8, turn: 1 }, 'Direct and via TURN'],
  [{ ...none, turn: 4, server: true }, 'via TURN and server'],
  [{ direct: 8, turn: 1, server: true }, 'Direct, via TURN and server'],
  ['stored', 'Stored'],
])('the way %o is told as “%s”', (way, text) => expect(labelOf(way).label).toBe(text))

it.each<[TransferWay, string]>([
  [{ ...none, direct: 1 }, 'Direct'],
  [{ ...none, direct: 8 }, 'Direct ×8'],
  [{ ...none, turn: 4 }, 'via TURN ×4'],
  [{ ...none, direct: 8, server: true }, 'Direct and via server'],
  ['stored', 'Stored'],
])('the details tell the way %o as “%s”', (way, text) => expect(detailOf(way)).toBe(text))
