/**
 * The rules for pasted text: the structure that the editor knows is kept, and of styles the size in px and two colours.
 */
import {
  $isTextNode,
  type DOMConversion,
  type DOMConversionMap,
  type DOMConversionOutput,
  type LexicalEditor,
  TextNode,
} from 'lexical'
import { fontSize, readStyle, rgbColour, type TextStyle, writeStyle } from '../../protocol/note-style'

/** Imports text as the editor does, with the allowed styles. */
export function textImport(): DOMConversionMap {
  // `getType` makes the class read its own configuration, which holds the import.
  TextNode.getType()
  const own = TextNode.importDOM?.() ?? {}
  return Object.fromEntries(
    Object.entries(own).map(([tag, importer]) => [
      tag,
      (element: HTMLElement) => {
        const conversion = importer(element)
        return conversion && withStyle(conversion)
      },
    ]),
  )
}

function withStyle(conversion: DOMConversion): DOMConversion {
  return {
    ...conversion,
    conversion: (element) => {
      const output = conversion.conversion(element)
      const style = writeStyle(keptStyle(element.style))
      return output && style ? styled(output, style) : output
    },
  }
}

function styled(output: DOMConversionOutput, style: string): DOMConversionOutput {
  const { forChild } = output
  if (!forChild || output.after || output.node) return output
  return {
    ...output,
    forChild(child, parent) {
      const node = forChild(child, parent)
      // Of two elements around a text the inner one is processed later, so its style wins.
      if ($isTextNode(node)) node.setStyle(`${node.getStyle()} ${style}`)
      return node
    },
  }
}

/** The allowed part of a style. The browser has already converted all colours to rgb. */
function keptStyle(style: CSSStyleDeclaration | undefined): TextStyle {
  if (!style) return {}
  const size = fontSize(style.fontSize)
  const colour = rgbColour(style.color)
  const ground = rgbColour(style.backgroundColor)
  return {
    ...(size && { 'font-size': size }),
    ...(colour && { color: colour }),
    ...(ground && { 'background-color': ground }),
  }
}

/** Applies the style rule to every text, whichever way it was inserted. */
export function registerStyleRule(editor: LexicalEditor): () => void {
  return editor.registerNodeTransform(TextNode, (node) => {
    const kept = writeStyle(readStyle(node.getStyle()))
    if (kept !== node.getStyle()) node.setStyle(kept)
  })
}
