import { type FormEvent, useRef, useState } from 'react'
import type { FormOutcome } from '../account-actions'
import type { Fields, Problems } from './validation'

/** The state of a form: its values, its errors, and whether it is being sent, which happens once at a time. */
export function useForm<Name extends string>(
  start: Readonly<Record<Name, string>>,
  problemsOf: (fields: Fields) => Problems,
  send: (fields: Readonly<Record<Name, string>>) => Promise<FormOutcome>,
) {
  const [fields, setFields] = useState(start)
  const [problems, setProblems] = useState<Problems>({})
  const [whole, setWhole] = useState<string | null>(null)
  const [sending, setSending] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  const show = (found: Problems) => {
    setProblems(found)
    const first = [...(form.current?.elements ?? [])].find(
      (element): element is HTMLInputElement => element instanceof HTMLInputElement && element.name in found,
    )
    first?.focus()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (sending) return
    setWhole(null)
    const found = problemsOf(fields)
    if (Object.keys(found).length > 0) return show(found)
    setSending(true)
    const outcome = await send(fields)
    setSending(false)
    if (outcome.ok) return
    show(outcome.fields)
    setWhole(outcome.whole)
  }
  /** Removes the error of a field that is being changed, and that of the form. */
  const settle = (name: string) => {
    setProblems(({ [name]: _gone, ...others }) => others)
    setWhole(null)
  }
  /** The props of the input with this name. */
  const field = (name: Name) => ({
    name,
    value: fields[name],
    error: problems[name] ?? null,
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget
      setFields((old) => ({ ...old, [name]: value }))
      settle(name)
    },
  })
  return {
    form,
    fields,
    field,
    problems,
    whole,
    settle,
    sending,
    submit: (event: FormEvent) => void submit(event),
  }
}
