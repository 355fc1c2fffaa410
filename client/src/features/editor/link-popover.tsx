import { TOGGLE_LINK_COMMAND } from '@lexical/link'
import { t } from '@lingui/core/macro'
import { $createTextNode, $getSelection, $isRangeSelection, type LexicalEditor } from 'lexical'
import Link from 'lucide-react/icons/link'
import { type FormEvent, useId, useState } from 'react'
import { linkUrl } from '../../protocol/link-url'
import { Button } from '../../ui/button'
import css from './link-popover.module.css'
import { Popover } from './popover'
import { LINK_ATTRIBUTES } from './text-plugins'

/** Turns the selection into a link, changes the address of a link, or removes it. */
export function LinkPopover({ editor, link }: { editor: LexicalEditor; link: string | null }) {
  return (
    <Popover icon={Link} label={t`Link`} pressed={link !== null}>
      {(close) => <LinkForm editor={editor} link={link} onDone={close} />}
    </Popover>
  )
}

function LinkForm({
  editor,
  link,
  onDone,
}: {
  editor: LexicalEditor
  link: string | null
  onDone: () => void
}) {
  const id = useId()
  const [address, setAddress] = useState(link ?? '')
  const apply = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (address.trim() === '') return
    onDone()
    setLink(editor, address.trim())
  }
  const remove = () => {
    onDone()
    editor.dispatchCommand(TOGGLE_LINK_COMMAND, null)
    editor.focus()
  }
  return (
    <form className={css.form} onSubmit={apply}>
      <label htmlFor={id}>{t`Link to`}</label>
      <input
        id={id}
        className={css.input}
        placeholder={t`Address, e-mail or phone number`}
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <div className={css.foot}>
        {link !== null && (
          <Button look="ghost" size="sm" onClick={remove}>
            {t`Remove`}
          </Button>
        )}
        <Button look="soft" size="sm" type="submit" disabled={address.trim() === ''}>
          {t`Set link`}
        </Button>
      </div>
    </form>
  )
}

function setLink(editor: LexicalEditor, address: string): void {
  const url = linkUrl(address)
  editor.update(() => {
    const selection = $getSelection()
    // Without a selection the address becomes the text as well.
    if ($isRangeSelection(selection) && selection.isCollapsed()) {
      const text = $createTextNode(address)
      selection.insertNodes([text])
      text.select(0, address.length)
    }
  })
  editor.dispatchCommand(TOGGLE_LINK_COMMAND, { url, ...LINK_ATTRIBUTES })
  editor.focus()
}
