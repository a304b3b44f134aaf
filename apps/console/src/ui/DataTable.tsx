import { createColumnHelper, tableFeatures, useTable } from "@tanstack/react-table"
import { useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useEffect, useMemo, useRef } from "react"
import { cx } from "./cx.ts"
import { Scrollable } from "./Scrollable.tsx"

export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** True if the header is for screen readers only. */
  readonly isHeaderHidden?: boolean
  /** Width and visibility: `w-24`, `flex-1`, `max-lg:hidden`. */
  readonly className: string
  readonly cell: (row: Row) => ReactNode
}

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly onChange: (ids: ReadonlySet<string>) => void
  /** Returns the name of a row. */
  readonly nameOf: (id: string) => string
}

interface DataTableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly idOf: (row: Row) => string
  /** Number of all rows, including those that are not loaded. */
  readonly total?: number
  readonly rowHeight?: number
  readonly onOpen?: (row: Row) => void
  readonly onEnd?: () => void
  readonly selection?: Selection
}

const features = tableFeatures({})

/** Minimum height of the table, in pixels. The page scrolls in a window that is too low for it. */
const minHeight = 240
const headerHeight = 36

/** Number of rendered rows before and after the visible ones. */
const overscan = 12

/**
 * A list of any length: only visible rows are in the document. Roles replace the semantics that `display: flex` removes from table
 * elements.
 */
export const DataTable = <Row extends object>({
  columns,
  idOf,
  label,
  onEnd,
  onOpen,
  rowHeight = 44,
  rows,
  selection,
  total
}: DataTableProps<Row>) => {
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>()
    return helper.columns(
      columns.map(({ cell, header, id }) => helper.display({ id, header, cell: ({ row }) => cell(row.original) }))
    )
  }, [columns])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0
  // The table has visible rows only: one of 100,000 would be rebuilt with each page.
  const seen = useMemo(() => rows.slice(first, last + 1), [first, last, rows])
  const table = useTable({ features, columns: definitions, data: seen, getRowId: idOf })
  const model = table.getRowModel().rows
  useEffect(() => {
    if (onEnd !== undefined && last >= rows.length - overscan) onEnd()
  }, [last, rows.length, onEnd])
  const classOf = (id: string) => columns.find((column) => column.id === id)?.className ?? ""
  const isHidden = (id: string) => columns.find((column) => column.id === id)?.isHeaderHidden === true
  const isAllSelected = rows.length > 0 && rows.every((row) => selection?.ids.has(idOf(row)))
  return (
    <div
      className="flex max-h-full flex-col overflow-hidden rounded-lg border border-line bg-surface"
      style={{ minHeight: Math.min(rows.length * rowHeight + headerHeight, minHeight) }}
    >
      <Scrollable ref={scroller} label={`${label}, scrolls`} className="min-h-0 overflow-auto">
        <div role="table" aria-label={label} aria-rowcount={(total ?? rows.length) + 1}>
          <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-sunken">
            <div
              role="row"
              aria-rowindex={1}
              className="flex h-8 items-center gap-3 px-3 text-xs font-medium text-soft"
            >
              {selection !== undefined && (
                <span role="columnheader" className="flex w-4">
                  <input
                    type="checkbox"
                    aria-label="Select all that are loaded"
                    className="size-4 accent-accent-strong"
                    checked={isAllSelected}
                    onChange={() => selection.onChange(new Set(isAllSelected ? [] : rows.map(idOf)))}
                  />
                </span>
              )}
              {table.getFlatHeaders().map((header) => (
                <span key={header.id} role="columnheader" className={cx("truncate", classOf(header.column.id))}>
                  <span className={isHidden(header.column.id) ? "sr-only" : undefined}>
                    <table.FlexRender header={header} />
                  </span>
                </span>
              ))}
            </div>
          </div>
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const row = model[index - first]
              if (row === undefined) return null
              const isSelected = selection?.ids.has(row.id) ?? false
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the row's link is what the keyboard opens
                <div
                  key={row.id}
                  role="row"
                  aria-rowindex={index + 2}
                  aria-selected={selection === undefined ? undefined : isSelected}
                  className={cx(
                    "absolute inset-x-0 flex items-center gap-3 border-b border-line px-3 last:border-b-0",
                    onOpen !== undefined && "cursor-pointer hover:bg-hover",
                    isSelected && "bg-accent-soft"
                  )}
                  style={{ height: rowHeight, transform: `translateY(${start}px)` }}
                  onClick={(event) => {
                    const isControl = event.target instanceof Element && event.target.closest("a, button, input, label")
                    if (!isControl && window.getSelection()?.isCollapsed !== false) onOpen?.(row.original)
                  }}
                >
                  {selection !== undefined && (
                    <span role="cell" className="flex w-4">
                      <input
                        type="checkbox"
                        aria-label={`Select ${selection.nameOf(row.id)}`}
                        className="size-4 accent-accent-strong"
                        checked={isSelected}
                        onChange={() => {
                          const ids = new Set(selection.ids)
                          if (!ids.delete(row.id)) ids.add(row.id)
                          selection.onChange(ids)
                        }}
                      />
                    </span>
                  )}
                  {row.getAllCells().map((cell) => (
                    <span key={cell.id} role="cell" className={cx("min-w-0 truncate", classOf(cell.column.id))}>
                      <table.FlexRender cell={cell} />
                    </span>
                  ))}
                </div>
              )
            })}
          </div>
        </div>
      </Scrollable>
    </div>
  )
}
