import { t } from '@lingui/core/macro'
import type { LexicalEditor } from 'lexical'
import ImagePlus from 'lucide-react/icons/image-plus'
import { useRef } from 'react'
import { INSERT_PICTURES } from './pictures-plugin'
import { Tool } from './tool'

/** Inserts pictures from this device at the caret. */
export function PictureTool({ editor }: { editor: LexicalEditor }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Tool icon={ImagePlus} label={t`Image`} onUse={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        aria-label={t`Choose pictures`}
        onChange={({ currentTarget }) => {
          editor.dispatchCommand(INSERT_PICTURES, [...(currentTarget.files ?? [])])
          // The same picture may be chosen again.
          currentTarget.value = ''
          editor.focus()
        }}
      />
    </>
  )
}
