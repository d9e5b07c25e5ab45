import { type ChangeEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'

/** How long nothing is typed, in milliseconds, before what stands there counts. */
const REST = 1000

/** For an input whose text is valid at every stage of typing, such as a year of one digit: it keeps what is typed, and passes it on when
 * it is left, on Enter, or after a rest. Half a date is nothing, and does not count. */
export function useTyped(value: string, onDone: (text: string) => void) {
  const [typed, setTyped] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const done = useRef(onDone)
  useEffect(() => {
    done.current = onDone
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  const end = (input: HTMLInputElement) => {
    clearTimeout(timer.current)
    setTyped(undefined)
    if (typed !== undefined && input.value !== value && !input.validity.badInput) onDone(input.value)
  }
  return {
    value: typed ?? value,
    onChange: ({ currentTarget: { value: text } }: ChangeEvent<HTMLInputElement>) => {
      setTyped(text)
      clearTimeout(timer.current)
      if (text !== '') timer.current = setTimeout(() => done.current(text), REST)
    },
    onBlur: ({ currentTarget }: { currentTarget: HTMLInputElement }) => end(currentTarget),
    onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
      if (event.key === 'Enter') end(event.currentTarget)
    },
  }
}
