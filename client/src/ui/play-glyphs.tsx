/** The icons of playing and pausing, the only ones that are filled. */
import PauseOutline from 'lucide-react/icons/pause'
import PlayOutline from 'lucide-react/icons/play'
import type { Glyph } from './icon'

export const PlayGlyph: Glyph = (props) => <PlayOutline {...props} fill="currentColor" />

export const PauseGlyph: Glyph = (props) => <PauseOutline {...props} fill="currentColor" />
