/** Names under which received files are saved, on systems that refuse some or take two for one. */
import type { Manifest } from './manifest'
import { addAbove } from './manifest'
import { startOf, withEnding } from './names'
import { numbering, type PackPaths } from './pack-paths'

/**
 * What the file system of a device does with names: `exact` keeps every name as it is (Linux), `folds` takes names for
 * one that differ by case or by how their letters are composed (macOS, Android), `windows` also refuses some.
 */
export type NameRules = 'exact' | 'folds' | 'windows'

/**
 * The most bytes of a name in UTF-8. Linux has 255; Chromium writes into a file whose name is 7 bytes longer, and a
 * number among equal names needs some.
 */
const MAX_NAME_BYTES = 240

// Microsoft: Naming Files, Paths, and Namespaces. The last three are devices of older systems and of the console. Spaces before
// the first dot do not count.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among it.
const REFUSED = /[\u0000-\u001f\u007f"*/:<>?\\|]|[. ]+$/g
const DEVICE = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|clock\$|conin\$|conout\$)(?= *(\.|$))/i

// Chromium refuses these as well, on every system, in folders that a person picks.
// Characters that show nothing, and white space or a tilde around a name (base::i18n::IsFilenameLegal):
const ILLEGAL = /[\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}]|^\s+|\s+$|^~|~$/gu
// files on which Windows acts when it only shows their folder (net::IsShellIntegratedExtension):
const ACTS = /\.(lnk|local|scf|url|\{.*\})$/i
// files that say how Windows shows a folder (net::IsReservedNameOnWindows), and what is illegal behind a dot at the start:
const SPECIAL = /^(desktop\.ini|thumbs\.db)$|^\.[.~\s]/i

const utf8 = new TextEncoder()

/** `a:b.txt` becomes `a_b.txt`: a name that Windows takes. */
function windowsName(name: string): string {
  return name.replace(REFUSED, '_').replace(DEVICE, '_$&')
}

/** Returns a name that every system takes, and Chromium in every folder. One that it returned stays as it is. */
export function portableName(name: string): string {
  const legal = name.replace(ILLEGAL, '_')
  const clean = windowsName(legal).replace(ACTS, '$&.download').replace(SPECIAL, '_$&')
  const [stem, ending] = withEnding(clean)
  let short = stem
  while (utf8.encode(short + ending).byteLength > MAX_NAME_BYTES) short = startOf(short, short.length - 1)
  // A name that was cut may end as none may.
  return short === stem ? clean : (short + ending).replace(/[.\s~]+$/u, '_')
}

/**
 * Returns the paths of files and empty folders for an archive that is unpacked on a device with such rules. Both of two
 * files stay that would be one there.
 */
export function savedPaths({ files, folders }: Manifest, rules: NameRules): PackPaths {
  const paths = files.map(({ path }) => path)
  if (rules === 'exact') return { files: paths, folders }
  const clean = rules === 'windows' ? windowsPath : (path: string) => path
  const some = paths.map(clean)
  const empty = folders.map(clean)
  const taken = new Set<string>(empty.map(folded))
  for (const path of [...some, ...empty]) addAbove(folded(path), taken)
  return { files: some.map(numbering(taken, folded)), folders: [...new Set(empty)] }
}

function windowsPath(path: string): string {
  return path.split('/').map(windowsName).join('/')
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
