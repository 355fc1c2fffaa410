/** The editor's node for a picture: type `image`, version 1. */
import {
  $getNodeByKey,
  DecoratorNode,
  type DOMConversionMap,
  type DOMExportOutput,
  type LexicalEditor,
  type LexicalNode,
  type LexicalParseJSON,
  type NodeKey,
  type SerializedLexicalNode,
  type Spread,
} from 'lexical'
import type { ReactNode } from 'react'
import { DEFAULT_IMAGE_WIDTH } from '../../protocol/note-nodes'
import { isPictureSource, readNode } from '../../protocol/note-state'
import { type EditableImage, type ImageFields, ImageView } from './image-view'

export type SerializedImageNode = Spread<ImageFields, SerializedLexicalNode>

export class ImageNode extends DecoratorNode<ReactNode> implements EditableImage {
  __fields: ImageFields

  static override getType(): string {
    return 'image'
  }

  static override clone(node: ImageNode): ImageNode {
    return new ImageNode(node.__fields, node.__key)
  }

  static override importJSON(fields: LexicalParseJSON<SerializedImageNode>): ImageNode {
    // Clipboard content of other pages comes this way too.
    const read = readNode(fields)
    return $createImageNode(read?.type === 'image' ? read : { src: '' })
  }

  static override importDOM(): DOMConversionMap | null {
    return { img: () => ({ conversion: (element) => ({ node: $imageFromElement(element) }), priority: 0 }) }
  }

  constructor(fields: ImageFields, key?: NodeKey) {
    super(key)
    this.__fields = fields
  }

  override exportJSON(): SerializedImageNode {
    return { ...super.exportJSON(), ...this.getFields(), type: 'image', version: 1 }
  }

  override exportDOM(): DOMExportOutput {
    const { src, altText, width, height } = this.getFields()
    const element = document.createElement('img')
    // The `item:` address means nothing to other programs.
    if (src.startsWith('data:')) element.src = src
    element.alt = altText
    if (width > 0) element.width = width
    if (height > 0) element.height = height
    return { element }
  }

  override createDOM(): HTMLElement {
    return document.createElement('span')
  }

  override updateDOM(): false {
    return false
  }

  override getTextContent(): string {
    return this.getFields().altText
  }

  override isInline(): true {
    return true
  }

  override decorate(_editor: LexicalEditor): ReactNode {
    return <ImageView nodeKey={this.__key} fields={this.getFields()} node={this} />
  }

  getFields(): ImageFields {
    return this.getLatest().__fields
  }

  change(change: Partial<ImageFields>): void {
    const writable = this.getWritable()
    writable.__fields = { ...writable.__fields, ...change }
  }
}

export function $createImageNode(fields: Partial<ImageFields> & { src: string }): ImageNode {
  const { src, altText = '', width = 0, height = 0, maxWidth = DEFAULT_IMAGE_WIDTH } = fields
  return new ImageNode({ src: isPictureSource(src) ? src : '', altText, width, height, maxWidth })
}

export function $isImageNode(node: LexicalNode | null | undefined): node is ImageNode {
  return node instanceof ImageNode
}

/** Returns the picture with a key; null when it is gone. */
export function $getImage(key: NodeKey): ImageNode | null {
  const node = $getNodeByKey(key)
  return $isImageNode(node) ? node : null
}

/** Reads a picture from pasted HTML. One on another server is dropped, because a request would tell that server. */
function $imageFromElement(element: HTMLElement): ImageNode | null {
  const src = element.getAttribute('src') ?? ''
  if (!isPictureSource(src)) return null
  const altText = element.getAttribute('alt') ?? ''
  return $createImageNode({
    src,
    altText,
    width: sizeOf(element, 'width'),
    height: sizeOf(element, 'height'),
  })
}

function sizeOf(element: HTMLElement, name: 'width' | 'height'): number {
  const size = Number.parseInt(element.getAttribute(name) ?? '', 10)
  return Number.isFinite(size) && size > 0 ? size : 0
}
