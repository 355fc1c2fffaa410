import { expect, it } from 'vitest'
import { type Facts, stageOf } from './stage'

const here: Facts = {
  inBeam: true,
  hasItems: false,
  devices: 1,
  isGone: false,
  isLetIn: true,
  isJoining: false,
}

it.each<[string, Partial<Facts>, ReturnType<typeof stageOf>]>([
  ['nobody has a beam', { inBeam: false }, 'no-beam'],
  ['one waits alone', {}, 'alone'],
  // The code becomes small when another device joins, not when there are notes.
  ['one is alone with notes', { hasItems: true }, 'alone-with-notes'],
  ['the list of devices is not here yet', { hasItems: true, devices: 0 }, 'alone-with-notes'],
  ['another device is here', { devices: 2 }, 'nothing-yet'],
  ['another device is here with notes', { devices: 2, hasItems: true }, 'shared'],
  ['one came by a link', { isJoining: true, devices: 0 }, 'joining'],
  [
    'one came by a link and the first notes are here',
    { isJoining: true, hasItems: true, devices: 2 },
    'shared',
  ],
  ['the beam is sealed and cannot be opened here yet', { isLetIn: false, isJoining: true }, 'not-let-in'],
  ['the beam has ended under its notes', { isGone: true, hasItems: true, devices: 0 }, 'gone'],
])('when %s', (_when, facts, stage) => expect(stageOf({ ...here, ...facts })).toBe(stage))
