import { Link } from "@tanstack/react-router"
import { ConnectionError, ForbiddenError, NotFoundError, TapedeckError } from "@tapedeck/client"
import { CircleAlert, Lock, type LucideIcon, SearchX, WifiOff } from "lucide-react"
import type { ReactNode } from "react"
import { Button } from "./Button.tsx"

interface EmptyProps {
  readonly icon: LucideIcon
  readonly title: string
  /** Purpose of the list. */
  readonly children: ReactNode
  /** The button that adds the first item. */
  readonly action?: ReactNode
}

export const Empty = ({ action, children, icon: Icon, title }: EmptyProps) => (
  <div className="flex flex-col items-center rounded-lg border border-dashed border-line bg-surface px-6 py-14 text-center">
    <span className="mb-3 flex size-10 items-center justify-center rounded-full bg-accent-soft text-accent">
      <Icon aria-hidden className="size-5" />
    </span>
    <h2 className="text-base font-semibold">{title}</h2>
    <p className="mt-1 max-w-md text-soft">{children}</p>
    {action !== undefined && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
  </div>
)

const causeOf = (error: unknown): { readonly icon: LucideIcon; readonly title: string } => {
  if (error instanceof ForbiddenError) return { icon: Lock, title: "You may not see this" }
  if (error instanceof NotFoundError) return { icon: SearchX, title: "There is nothing here" }
  if (error instanceof ConnectionError) return { icon: WifiOff, title: "The service does not answer" }
  return { icon: CircleAlert, title: "This could not be loaded" }
}

/** Reason why a screen or a part of one has nothing to show, and what to do about it. */
export const Problem = ({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) => {
  const { icon: Icon, title } = causeOf(error)
  const requestId = error instanceof TapedeckError ? error.requestId : undefined
  return (
    <div
      role="alert"
      className="flex flex-col items-center rounded-lg border border-line bg-surface px-6 py-12 text-center"
    >
      <span className="mb-3 flex size-10 items-center justify-center rounded-full bg-bad-soft text-bad">
        <Icon aria-hidden className="size-5" />
      </span>
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="mt-1 max-w-md text-soft">{messageOf(error)}</p>
      {requestId !== undefined && <p className="mt-1 font-mono text-xs text-faint">Request {requestId}</p>}
      <div className="mt-4 flex gap-2">
        {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        <Link
          to="/recordings"
          className="inline-flex h-8 items-center rounded-md px-3 font-medium text-soft hover:bg-hover"
        >
          Go to the library
        </Link>
      </div>
    </div>
  )
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Placeholder of rows that are being loaded. */
export const Loading = ({ rows = 6 }: { readonly rows?: number }) => (
  <div
    role="status"
    aria-label="Loading"
    className="space-y-px overflow-hidden rounded-lg border border-line bg-surface"
  >
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
      <div key={row} className="flex items-center gap-4 px-4 py-3">
        <div className="h-3 w-1/3 animate-pulse rounded bg-hover" />
        <div className="h-3 w-1/5 animate-pulse rounded bg-hover" />
        <div className="h-3 flex-1 animate-pulse rounded bg-hover" />
      </div>
    ))}
  </div>
)

/** Notice that a long list has changed since it was read. */
export const Outdated = ({
  list: { isOutdated, restart }
}: {
  readonly list: { readonly isOutdated: boolean; readonly restart: () => unknown }
}) => (
  <div role="status" aria-label="Changes" className="contents">
    {isOutdated && (
      <p className="flex flex-wrap items-center gap-3 rounded-md bg-info-soft px-3 py-1.5 text-info">
        The list has changed since it was read.
        <Button isSmall onClick={restart}>
          Show the changes
        </Button>
      </p>
    )}
  </div>
)

interface Read<Data> {
  readonly data: Data | undefined
  readonly error: unknown
  readonly refetch: () => unknown
}

/** Shows the data of a query, its progress, or the reason why it failed. */
export const Loaded = <Data,>({
  children,
  loading,
  query,
  limit = Number.POSITIVE_INFINITY
}: {
  readonly query: Read<Data>
  /** Maximum number of items that the query reads; a list of that length may be cut, and a notice says so. */
  readonly limit?: number
  readonly loading?: ReactNode
  readonly children: (data: Data) => ReactNode
}) => {
  if (query.data !== undefined) {
    return (
      <>
        {query.error !== null && (
          <p role="alert" className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-warn">
            This is what was last read; it could not be read again: {messageOf(query.error)}
          </p>
        )}
        {Array.isArray(query.data) && query.data.length >= limit && (
          <p role="status" className="mb-3 rounded-md bg-info-soft px-3 py-2 text-info">
            {limit.toLocaleString("en")} are shown at most. The API lists all of them.
          </p>
        )}
        {children(query.data)}
      </>
    )
  }
  if (query.error !== null) return <Problem error={query.error} onRetry={() => query.refetch()} />
  return loading ?? <Loading />
}
