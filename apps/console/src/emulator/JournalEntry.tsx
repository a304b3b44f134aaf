import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { control } from "../api/control.ts"
import { Body, Headers } from "../ui/Body.tsx"
import { Facts } from "../ui/Facts.tsx"
import { words } from "../ui/format.ts"
import { Modal } from "../ui/Modal.tsx"
import { Loaded, Loading } from "../ui/states.tsx"

/** A request or a response: of an attempt in full, of a request to the API its body only. */
interface Message {
  readonly body: string
  readonly truncated?: boolean
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An entry of the journal. */
export interface Entry {
  readonly seq: number
  readonly at: string
  readonly kind: string
  readonly method?: string
  readonly path?: string
  readonly status?: number | string
  readonly user?: string | null
  readonly rule?: string
  readonly unknown_query?: ReadonlyArray<string>
  readonly origin?: string
  /** Body; null if it is not text or was not read; undefined if it is not stored. */
  readonly request?: Message | null
  readonly response?: Message | null
  readonly [field: string]: unknown
}

export interface Journal {
  readonly entries: ReadonlyArray<Entry>
  readonly dropped: number
}

/** The entry with its bodies, which a list does not have. */
const withBodies = async (entry: Entry): Promise<Entry> => {
  if (entry.kind !== "request") return entry
  const { entries } = await control<Journal>("GET", `/journal?kind=request&bodies=true&since=${entry.seq - 1}`)
  const [found] = entries
  // After a reset of the world, numbers start at 1 again.
  return found?.seq === entry.seq && found.path === entry.path ? found : entry
}

interface JournalEntryProps {
  readonly entry: Entry
  readonly onClose: () => void
}

/** All fields of an entry, with its request and response. */
export const JournalEntry = ({ entry, onClose }: JournalEntryProps) => {
  const whole = useQuery({
    queryKey: ["control", "journal", "entry", entry.seq, entry.path],
    queryFn: () => withBodies(entry)
  })
  return (
    <Modal title={`Entry ${entry.seq}: ${entry.kind.replaceAll("_", " ")}`} isOpen isWide onClose={onClose}>
      <Loaded query={whole} loading={<Loading rows={3} />}>
        {(found) => (
          <div className="space-y-4">
            <Facts facts={factsOf(found)} />
            {(found.kind === "request" || found.kind === "attempt") && (
              <>
                <MessageView name="Request" message={found.request} />
                <MessageView name="Response" message={found.response} />
              </>
            )}
          </div>
        )}
      </Loaded>
    </Modal>
  )
}

const factsOf = ({ seq: _, kind, request: __, response: ___, ...fields }: Entry) =>
  Object.entries(fields).map(
    ([name, value]) => [words(name), <Fact key={name} name={name} kind={kind} value={value} />] as const
  )

const Fact = ({ kind, name, value }: { readonly kind: string; readonly name: string; readonly value: unknown }) => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  const link = "font-mono text-xs text-accent hover:underline"
  if (name === "recording" || (name === "id" && kind === "transcript")) {
    return (
      <Link to="/recordings/$uuid" params={{ uuid: text }} className={link}>
        {text}
      </Link>
    )
  }
  if (name === "id" && kind === "attempt") {
    return (
      <Link to="/deliveries/$id" params={{ id: text }} className={link}>
        {text}
      </Link>
    )
  }
  return <code className="font-mono text-xs">{text}</code>
}

const MessageView = ({ message, name }: { readonly name: string; readonly message: Message | null | undefined }) => (
  <section aria-label={name} className="space-y-2">
    <h3 className="font-semibold">{name}</h3>
    {message === undefined ? (
      <p className="text-soft">Its body is not kept: older requests have none.</p>
    ) : message === null ? (
      <p className="text-soft">There is no body, or none that is text and was read at once.</p>
    ) : (
      <>
        {message.url !== undefined && (
          <p className="rounded-md bg-sunken px-3 py-2 font-mono text-xs break-all">
            <span className="font-semibold text-accent">{message.method}</span> {message.url}
          </p>
        )}
        {message.headers !== undefined && <Headers label={`${name} headers`} headers={message.headers} />}
        <Body label={`${name} body`} text={message.body} isCut={message.truncated ?? false} />
      </>
    )}
  </section>
)
