import { Dialog } from "@base-ui/react/dialog"
import { Search } from "lucide-react"
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import { maxSearchLength } from "../recordings/queries.ts"
import { cx } from "../ui/cx.ts"
import { Highlighted } from "../ui/Highlighted.tsx"
import { type PaletteEntry, usePaletteEntries } from "./paletteEntries.ts"

/** Pause in typing before recordings are searched, in milliseconds. */
const pauseMs = 200

/** The text, once it has not changed for a pause. */
const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

interface PaletteProps {
  readonly onClose: () => void
}

/** Finds recordings, people, folders, automations, pages and actions from every screen. */
const Palette = ({ onClose }: PaletteProps) => {
  const [typed, setTyped] = useState("")
  const [active, setActive] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const text = typed.trim()
  const { entries, isSearching } = usePaletteEntries(text, useSettled(text))
  const current = Math.min(active, entries.length - 1)
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return
    onClose()
    entry.onChoose()
  }
  useEffect(() => {
    list.current?.querySelector(`[data-index="${current}"]`)?.scrollIntoView({ block: "nearest" })
  }, [current])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === "ArrowDown") setActive((current + 1) % Math.max(entries.length, 1))
    else if (event.key === "ArrowUp") setActive((current + entries.length - 1) % Math.max(entries.length, 1))
    else if (event.key === "Enter") choose(entries[current])
    else return
    event.preventDefault()
  }
  const groups = Map.groupBy(entries.entries(), ([, { group }]) => group)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          initialFocus={input}
          className="fixed top-[10dvh] left-1/2 z-40 flex max-h-[min(32rem,80dvh)] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-pop outline-none"
        >
          <Dialog.Title className="sr-only">Search everything</Dialog.Title>
          <div className="relative border-b border-line">
            <Search aria-hidden className="pointer-events-none absolute top-3.5 left-4 size-4 text-faint" />
            <input
              ref={input}
              type="text"
              role="combobox"
              aria-label="Search everything"
              aria-expanded={entries.length > 0}
              aria-controls={`${id}-list`}
              aria-autocomplete="list"
              aria-activedescendant={entries.length === 0 ? undefined : `${id}-${current}`}
              autoComplete="off"
              spellCheck={false}
              maxLength={maxSearchLength}
              placeholder="Recordings, words that were said, people, folders, pages"
              className="h-11 w-full bg-transparent pr-4 pl-11 outline-none placeholder:text-faint"
              value={typed}
              onChange={({ target }) => {
                setTyped(target.value)
                setActive(0)
              }}
              onKeyDown={onKeyDown}
            />
          </div>
          <div
            ref={list}
            id={`${id}-list`}
            role="listbox"
            aria-label="Results"
            className="min-h-0 overflow-y-auto p-1.5"
          >
            {[...groups].map(([group, members]) => (
              <div key={group} role="group" aria-label={group} className="mb-1.5">
                <div aria-hidden className="px-2.5 py-1 text-xs font-medium text-soft">
                  {group}
                </div>
                {members.map(([index, entry]) => (
                  <Option
                    key={entry.id}
                    id={`${id}-${index}`}
                    index={index}
                    entry={entry}
                    isActive={index === current}
                    onHover={() => setActive(index)}
                    onChoose={() => choose(entry)}
                  />
                ))}
              </div>
            ))}
          </div>
          <p role="status" className={cx("px-4 pb-3 text-soft", entries.length > 0 && !isSearching && "sr-only")}>
            {isSearching ? "Searching…" : entries.length === 0 ? "Nothing matches." : `${entries.length} results`}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface OptionProps {
  readonly id: string
  readonly index: number
  readonly entry: PaletteEntry
  readonly isActive: boolean
  readonly onHover: () => void
  readonly onChoose: () => void
}

const Option = ({ entry, id, index, isActive, onChoose, onHover }: OptionProps) => {
  const { highlights = [], hint = "", icon: Icon, name } = entry
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
    <div
      role="option"
      id={id}
      data-index={index}
      aria-selected={isActive}
      className={cx("flex cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5", isActive && "bg-accent-soft")}
      onPointerMove={onHover}
      onClick={onChoose}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-soft" />
      <span className="min-w-0">
        <span className="block truncate" dir="auto">
          {name}
        </span>
        {hint !== "" && (
          <bdi className="block truncate text-xs text-soft">
            <Highlighted text={hint} parts={highlights} />
          </bdi>
        )}
      </span>
    </div>
  )
}

export default Palette
