import { useLexicalComposerContext } from '@lexical/react/LexicalComposerContext'
import { useLexicalEditable } from '@lexical/react/useLexicalEditable'
import { useLexicalNodeSelection } from '@lexical/react/useLexicalNodeSelection'
import { t } from '@lingui/core/macro'
import {
  CLICK_COMMAND,
  COMMAND_PRIORITY_LOW,
  HISTORY_MERGE_TAG,
  KEY_ENTER_COMMAND,
  mergeRegister,
  type NodeKey,
} from 'lexical'
import Trash2 from 'lucide-react/icons/trash-2'
import { type RefObject, useEffect, useRef } from 'react'
import { cx } from '../../ui/cx'
import { Icon } from '../../ui/icon'
import { PicturePlace } from '../note/note-picture'
import { usePictureUrl } from '../note/picture-url'
import { rounded, withNaturalSize } from './image-size'
import css from './image-view.module.css'
import { usePlacedPicture } from './placed-pictures'
import { ResizeHandle } from './resize-handle'

export interface ImageFields {
  readonly src: string
  readonly altText: string
  /** In px; 0 while unknown. */
  readonly width: number
  readonly height: number
  readonly maxWidth: number
}

/** The part of the node that its view uses. To be called only within an update of the editor. */
export interface EditableImage {
  /** False after it was deleted: it must not be changed any more. */
  isAttached(): boolean
  change(change: Partial<ImageFields>): void
  remove(): void
}

interface ImageViewProps {
  nodeKey: NodeKey
  fields: ImageFields
  node: EditableImage
}

/** A picture in the editor. Under the pointer or selected it shows Alt, Delete and a resize handle. */
export function ImageView({ nodeKey, fields, node }: ImageViewProps) {
  const { src, altText, width, height, maxWidth } = fields
  const [editor] = useLexicalComposerContext()
  const editable = useLexicalEditable()
  const frame = useRef<HTMLSpanElement>(null)
  const picture = useRef<HTMLImageElement>(null)
  const selected = usePictureKeys(nodeKey, node, frame, picture)
  const placed = usePlacedPicture(src)
  const shared = usePictureUrl(src)
  const url = placed ?? shared
  const change = (next: Partial<ImageFields>) => editor.update(() => node.isAttached() && node.change(next))
  const onLoad = ({ currentTarget }: { currentTarget: HTMLImageElement }) => {
    const known = withNaturalSize(fields, currentTarget)
    // Filling in the natural size must not be an undo step.
    if (known) editor.update(() => node.isAttached() && node.change(known), { tag: HISTORY_MERGE_TAG })
  }
  const style = {
    ...(width > 0 && { width }),
    ...(width > 0 && height > 0 && { aspectRatio: `${width} / ${height}` }),
    maxWidth: `min(100%, ${maxWidth}px)`,
  }
  return (
    <span ref={frame} className={css.frame} data-selected={(selected && editable) || undefined} style={style}>
      {url ? (
        <img
          ref={picture}
          className={css.picture}
          src={url}
          alt={altText}
          draggable={false}
          onLoad={onLoad}
        />
      ) : (
        <PicturePlace alt={altText} style={{}} />
      )}
      {editable && (
        <ImageTools
          beside={width < ROOM_FOR_TOOLS.width || height < ROOM_FOR_TOOLS.height}
          altText={altText}
          picture={picture}
          onAlt={(text) => change({ altText: text })}
          onDelete={() => editor.update(() => node.isAttached() && node.remove())}
          onResize={change}
        />
      )}
    </span>
  )
}

/** A click selects the picture; Ctrl or Meta with Enter then stores its shown size. */
function usePictureKeys(
  nodeKey: NodeKey,
  node: EditableImage,
  frame: RefObject<HTMLElement | null>,
  picture: RefObject<HTMLImageElement | null>,
): boolean {
  const [editor] = useLexicalComposerContext()
  const [selected, setSelected, clearSelection] = useLexicalNodeSelection(nodeKey)
  useEffect(() => {
    const onClick = ({ target }: MouseEvent) => {
      if (!(target instanceof Node) || !frame.current?.contains(target)) return false
      clearSelection()
      setSelected(true)
      return true
    }
    const onEnter = (event: KeyboardEvent | null) => {
      if (!selected || !picture.current || !(event?.ctrlKey || event?.metaKey)) return false
      event.preventDefault()
      if (node.isAttached()) node.change(rounded(picture.current.getBoundingClientRect()))
      return true
    }
    return mergeRegister(
      editor.registerCommand(CLICK_COMMAND, onClick, COMMAND_PRIORITY_LOW),
      editor.registerCommand(KEY_ENTER_COMMAND, onEnter, COMMAND_PRIORITY_LOW),
    )
  }, [editor, node, frame, picture, selected, setSelected, clearSelection])
  return selected
}

/** A picture smaller than this has its tools below, because they would cover it. */
const ROOM_FOR_TOOLS = { width: 200, height: 100 }

interface ImageToolsProps {
  beside: boolean
  altText: string
  picture: RefObject<HTMLImageElement | null>
  onAlt: (text: string) => void
  onDelete: () => void
  onResize: (size: { width: number; height: number }) => void
}

function ImageTools({ beside, altText, picture, onAlt, onDelete, onResize }: ImageToolsProps) {
  const askAlt = () => {
    const text = window.prompt(t`Enter alt text for image:`, altText)
    if (text !== null) onAlt(text)
  }
  return (
    <>
      <span className={cx(css.tools, beside && css.below)}>
        <button type="button" className={css.tool} onClick={askAlt}>
          {t({ message: 'Alt', comment: 'Changes the text that stands for a picture (alt in HTML)' })}
        </button>
        <button type="button" className={css.tool} onClick={onDelete}>
          <Icon of={Trash2} size={14} />
          {t`Delete`}
        </button>
      </span>
      <ResizeHandle picture={picture} onResize={onResize} />
    </>
  )
}
