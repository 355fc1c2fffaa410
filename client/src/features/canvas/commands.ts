/** The keyboard commands of the canvas: one table, by which keys are handled and which the help shows. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Point } from '../../stores/canvas'
import type { Direction } from './neighbours'

export type Command =
  | { readonly do: 'go'; readonly to: Direction }
  | { readonly do: 'move'; readonly by: Point }
  | { readonly do: 'copy' | 'delete' | 'pick' | 'select-all' | 'escape' | 'undo' | 'redo' | 'enter' }
  | { readonly do: 'first' | 'last' | 'menu' }
  | { readonly do: 'zoom-in' | 'zoom-out' | 'full-size' | 'fit-all' | 'tidy-up' | 'help' }

export interface Key {
  readonly key: string
  /** The place of the key, such as `KeyZ`. */
  readonly code: string
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}

export interface Shortcut {
  /** What it does, as the help says it. */
  readonly words: MessageDescriptor
  /** By the name of the keys. None: the browser, or the note itself, handles them. */
  readonly commands: Readonly<Record<string, Command>>
  /** The keys that the help shows, where they are not those of the commands: names of keys and of `KEY_WORDS`. */
  readonly shown?: readonly string[]
}

export interface ShortcutGroup {
  readonly title: MessageDescriptor
  readonly shortcuts: readonly Shortcut[]
}

export const STEP = 10
/** Step with Shift: one square of the grid. */
export const LONG_STEP = 50

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/** Makes a command for each arrow key. */
function arrows(prefix: string, make: (to: Direction) => Command): Record<string, Command> {
  return Object.fromEntries(Object.entries(DIRECTIONS).map(([key, to]) => [prefix + key, make(to)]))
}

function moves(step: number): (to: Direction) => Command {
  return ({ x, y }) => ({ do: 'move', by: { x: x * step, y: y * step } })
}

export const SHORTCUT_GROUPS: readonly ShortcutGroup[] = [
  {
    title: msg`Notes`,
    shortcuts: [
      { words: msg`Go to the notes, and on from them`, commands: {}, shown: ['Tab'] },
      {
        words: msg`Go to the note that way`,
        commands: arrows('', (to) => ({ do: 'go', to })),
        shown: ['arrows'],
      },
      {
        words: msg`Go to the first or the last note`,
        commands: { Home: { do: 'first' }, End: { do: 'last' } },
      },
      { words: msg`Open a formatted note, copy any other`, commands: {}, shown: ['Enter'] },
      { words: msg`Go to the buttons of a note, Escape to come back`, commands: { F2: { do: 'enter' } } },
      {
        words: msg`Show the menu`,
        commands: { 'Shift+F10': { do: 'menu' }, ContextMenu: { do: 'menu' } },
        shown: ['Shift+F10', 'menu'],
      },
      { words: msg`Copy`, commands: { 'Ctrl+C': { do: 'copy' } } },
      { words: msg`Delete`, commands: { Delete: { do: 'delete' }, Backspace: { do: 'delete' } } },
      { words: msg`Select, or no longer`, commands: { X: { do: 'pick' } }, shown: ['X', 'Shift+click'] },
      { words: msg`Select all`, commands: { 'Ctrl+A': { do: 'select-all' } } },
      { words: msg`Select by a frame`, commands: {}, shown: ['Shift+drag'] },
      { words: msg`Select none, leave the notes`, commands: { Escape: { do: 'escape' } } },
    ],
  },
  {
    title: msg`Places`,
    shortcuts: [
      {
        words: msg`Move by 10 px`,
        commands: arrows('Ctrl+', moves(STEP)),
        shown: ['Ctrl+arrows'],
      },
      {
        words: msg`Move by 50 px`,
        commands: arrows('Ctrl+Shift+', moves(LONG_STEP)),
        shown: ['Ctrl+Shift+arrows'],
      },
      {
        words: msg`Move selected notes by 50 px; without Shift by 10 px`,
        commands: arrows('Shift+', moves(LONG_STEP)),
        shown: ['Shift+arrows'],
      },
      { words: msg`Tidy up`, commands: { T: { do: 'tidy-up' } } },
      { words: msg`Undo`, commands: { 'Ctrl+Z': { do: 'undo' } } },
      { words: msg`Redo`, commands: { 'Ctrl+Shift+Z': { do: 'redo' }, 'Ctrl+Y': { do: 'redo' } } },
    ],
  },
  {
    title: msg`View`,
    shortcuts: [
      { words: msg`Zoom in`, commands: { '+': { do: 'zoom-in' }, '=': { do: 'zoom-in' } }, shown: ['+'] },
      { words: msg`Zoom out`, commands: { '-': { do: 'zoom-out' } } },
      { words: msg`Back to 100 %`, commands: { '0': { do: 'full-size' } } },
      { words: msg`Fit all`, commands: { '1': { do: 'fit-all' } } },
      { words: msg`Move the view`, commands: {}, shown: ['Space+drag'] },
      { words: msg`Paste`, commands: {}, shown: ['Ctrl+V'] },
      { words: msg`Save`, commands: {}, shown: ['Ctrl+Enter'] },
      { words: msg`This list`, commands: { '?': { do: 'help' } } },
    ],
  },
]

const COMMANDS = new Map(
  SHORTCUT_GROUPS.flatMap(({ shortcuts }) => shortcuts.flatMap(({ commands }) => Object.entries(commands))),
)

export function commandOf(key: Key): Command | null {
  return key.altKey ? null : (COMMANDS.get(nameOf(key)) ?? null)
}

/** What the help says in words: what is not the name of one key, and keys whose names differ from language to language. */
export const KEY_WORDS: Readonly<Record<string, MessageDescriptor>> = {
  arrows: msg`Arrow keys`,
  menu: msg`Menu key`,
  click: msg`click`,
  drag: msg`drag`,
  Ctrl: msg({ message: 'Ctrl', context: 'A key of the keyboard' }),
  Shift: msg({ message: 'Shift', context: 'A key of the keyboard' }),
  Home: msg({ message: 'Home', context: 'A key of the keyboard' }),
  End: msg({ message: 'End', context: 'A key of the keyboard' }),
  Enter: msg({ message: 'Enter', context: 'A key of the keyboard' }),
  Delete: msg({ message: 'Delete', context: 'A key of the keyboard' }),
  Backspace: msg({ message: 'Backspace', context: 'A key of the keyboard' }),
  Escape: msg({ message: 'Escape', context: 'A key of the keyboard' }),
  Space: msg({ message: 'Space', context: 'A key of the keyboard' }),
}

/** Returns the keys of a shortcut that the help shows. */
export function keysOf({ commands, shown }: Shortcut): readonly string[] {
  return shown ?? Object.keys(commands)
}

/** Names a pressed key as the table does. Shift counts only where it does not change which character is typed. */
function nameOf({ key: typed, code, shiftKey, ctrlKey, metaKey }: Key): string {
  // Ctrl+Z is the key of the Latin Z also where it types я.
  const key = /^\p{L}$/u.test(typed) && !/[a-z]/i.test(typed) ? code.replace(/^Key/, '') : typed
  const isSign = key.length === 1 && !/[a-z]/i.test(key)
  const control = ctrlKey || metaKey ? 'Ctrl+' : ''
  const shift = shiftKey && !isSign ? 'Shift+' : ''
  return control + shift + (key.length === 1 ? key.toUpperCase() : key)
}
