import { Search } from "lucide-react"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { useSlashKey } from "./keys.ts"

interface SearchBoxProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly maxLength: number
  readonly onSearch: (text: string) => void
}

/** Pause in typing before the search starts, in milliseconds. */
const pauseMs = 300

export const SearchBox = ({ label, maxLength, onSearch, placeholder, value }: SearchBoxProps) => {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText(value), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const input = useRef<HTMLInputElement>(null)
  useSlashKey(input)
  const search = (next: string) => {
    clearTimeout(timer.current)
    onSearch(next.trim())
  }
  return (
    <form
      role="search"
      className="relative w-64 max-w-full"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        search(text)
      }}
    >
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-faint" />
      <input
        ref={input}
        type="search"
        aria-keyshortcuts="/"
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        className="h-8 w-full rounded-md border border-line bg-raised pr-2 pl-8 placeholder:text-faint hover:border-edge"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => search(target.value), pauseMs)
        }}
      />
    </form>
  )
}
