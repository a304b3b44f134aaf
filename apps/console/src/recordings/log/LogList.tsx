import { useVirtualizer } from "@tanstack/react-virtual"
import type { LogEvent } from "@tapedeck/domain/capture"
import {
  Bookmark,
  CircleAlert,
  Keyboard,
  type LucideIcon,
  MousePointerClick,
  Navigation,
  Network,
  Scissors,
  Terminal
} from "lucide-react"
import { type KeyboardEvent, useEffect, useId, useRef } from "react"
import { cx } from "../../ui/cx.ts"
import { clockLength, milliseconds } from "../../ui/format.ts"
import { indexAt, type LogRow } from "./events.ts"

const icons: Readonly<Record<LogEvent["kind"], LucideIcon>> = {
  console: Terminal,
  error: CircleAlert,
  network: Network,
  navigation: Navigation,
  click: MousePointerClick,
  input: Keyboard,
  key: Keyboard,
  mark: Bookmark,
  gap: Scissors
}

const toneOf = ({ event, isError }: LogRow): string => {
  if (isError) return "text-bad"
  if (event.kind === "console" && event.level === "warn") return "text-warn"
  return event.kind === "mark" ? "text-info" : "text-ink"
}

/** The time on the video's clock; look-back has a minus. */
export const timeOf = ({ t }: LogEvent): string => (t < 0 ? `−${clockLength(-t / 1_000)}` : clockLength(t / 1_000))

const rowHeight = 28
const overscan = 12
const page = 12

interface LogListProps {
  readonly rows: ReadonlyArray<LogRow>
  readonly seconds: number
  readonly isFollowing: boolean
  readonly selected: LogRow | null
  readonly onSelect: (row: LogRow) => void
  /** Called when the person scrolls. */
  readonly onLeave: () => void
}

/** Number of rows by which a key moves the selection; undefined for another key. */
const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: page,
  PageUp: -page,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY
}

/** A log of any length: only visible rows are in the document. Arrow keys select an event, and the video moves to its time. */
export const LogList = ({ isFollowing, onLeave, onSelect, rows, seconds, selected }: LogListProps) => {
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan
  })
  const active = indexAt(rows, seconds * 1_000 + 50)
  const chosen = selected === null ? -1 : rows.indexOf(selected)
  useEffect(() => {
    if (isFollowing && active >= 0) virtual.scrollToIndex(active, { align: "center" })
  }, [active, isFollowing, virtual])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const from = chosen >= 0 ? chosen : active - Math.sign(step)
    const next = Math.min(Math.max(from + step, 0), rows.length - 1)
    const row = rows[next]
    if (row === undefined) return
    onSelect(row)
    virtual.scrollToIndex(next)
  }
  const items = virtual.getVirtualItems()
  const isChosenRendered = items.some(({ index }) => index === chosen)
  return (
    <div
      ref={scroller}
      role="listbox"
      aria-label="Events"
      tabIndex={0}
      aria-activedescendant={isChosenRendered ? `${id}${chosen}` : undefined}
      className="max-h-96 overflow-auto rounded-lg border border-line bg-surface font-mono text-xs"
      onKeyDown={onKeyDown}
      onWheel={onLeave}
      onTouchMove={onLeave}
    >
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          const Icon = icons[row.event.kind]
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus, and its keys select
            <div
              key={index}
              id={`${id}${index}`}
              role="option"
              aria-selected={index === chosen}
              aria-current={index === active ? "time" : undefined}
              aria-posinset={index + 1}
              aria-setsize={rows.length}
              className={cx(
                "absolute inset-x-0 flex cursor-pointer items-center gap-2.5 px-3 hover:bg-hover",
                index === active && "bg-accent-soft",
                index === chosen && "outline-2 -outline-offset-2 outline-accent",
                toneOf(row)
              )}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              onClick={() => onSelect(row)}
            >
              <span className="w-12 shrink-0 text-right text-soft tabular">{timeOf(row.event)}</span>
              <Icon role="img" aria-label={row.event.kind} className="size-3.5 shrink-0" />
              <Facts event={row.event} />
              <bdi className="min-w-0 flex-1 truncate">{row.text}</bdi>
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Facts before the text of an event. */
const Facts = ({ event }: { readonly event: LogEvent }) => {
  if (event.kind === "console") return <span className="w-10 shrink-0">{event.level}</span>
  if (event.kind !== "network") return null
  return (
    <>
      <span className="w-10 shrink-0 tabular">{event.status === 0 ? "none" : event.status}</span>
      <span className="w-16 shrink-0 text-right tabular max-sm:hidden">
        {milliseconds(Math.round(event.duration_ms))}
      </span>
    </>
  )
}
