import type { LogEvent, LogHeaders, NetworkEvent } from "@tapedeck/domain/capture"
import { Copy, X } from "lucide-react"
import { Body, Headers } from "../../ui/Body.tsx"
import { Button, IconButton } from "../../ui/Button.tsx"
import { copyText } from "../../ui/copyText.ts"
import { Facts } from "../../ui/Facts.tsx"
import { bytes, milliseconds } from "../../ui/format.ts"
import { curlOf } from "./curl.ts"
import { timeOf } from "./LogList.tsx"

interface EventDetailProps {
  readonly event: LogEvent
  readonly onClose: () => void
}

/** All fields of an event. */
export const EventDetail = ({ event, onClose }: EventDetailProps) => (
  <section aria-label="Event" className="space-y-3 rounded-lg border border-line bg-surface p-3">
    <div className="flex items-center gap-2">
      <h3 className="flex-1 font-semibold">
        {event.kind === "network" ? "Request" : event.kind[0]?.toUpperCase() + event.kind.slice(1)} at {timeOf(event)}
      </h3>
      {event.kind === "network" && (
        <Button isSmall icon={Copy} onClick={() => copyText(curlOf(event), "The command is copied.")}>
          Copy as cURL
        </Button>
      )}
      <IconButton icon={X} label="Close the event" onClick={onClose} />
    </div>
    <Contents event={event} />
  </section>
)

const Contents = ({ event }: { readonly event: LogEvent }) => {
  switch (event.kind) {
    case "network":
      return <Exchange event={event} />
    case "console":
    case "error":
      return (
        <>
          <Body label="Message" text={event.message} />
          {event.kind === "error" && event.source !== undefined && <Facts facts={[["Source", event.source]]} />}
          {event.stack !== undefined && <Body label="Stack" text={event.stack} />}
        </>
      )
    case "navigation":
      return (
        <Facts
          facts={[
            ["Address", event.url],
            ["Title", event.title]
          ]}
        />
      )
    case "mark":
      return <Facts facts={[["Note", event.text]]} />
    case "gap":
      return (
        <Facts
          facts={[
            ["Left out", event.dropped],
            ["Reason", event.reason]
          ]}
        />
      )
    default:
      return <Facts facts={[["Target", event.target]]} />
  }
}

/** Request and response side by side. */
const Exchange = ({ event }: { readonly event: NetworkEvent }) => (
  <>
    <Facts
      facts={[
        ["Address", event.url],
        ["Method", event.method],
        ["Status", event.status === 0 ? "No response" : event.status],
        ["Error", event.error ?? null],
        ["Took", milliseconds(Math.round(event.duration_ms))],
        ["Size", event.size_bytes === undefined ? null : bytes(event.size_bytes)],
        ["By", event.initiator]
      ]}
    />
    <div className="grid grid-cols-1 items-start gap-3 lg:grid-cols-2">
      <Side name="Request" headers={event.request_headers} body={event.request_body} />
      <Side name="Response" headers={event.response_headers} body={event.response_body} />
    </div>
  </>
)

interface SideProps {
  readonly name: string
  readonly headers: LogHeaders
  readonly body: string | undefined
}

const Side = ({ body, headers, name }: SideProps) => (
  <div className="min-w-0 space-y-3">
    <Headers label={`${name} headers`} headers={headers} />
    {body === undefined ? (
      <p className="text-soft">The log has no {name.toLowerCase()} body.</p>
    ) : (
      <Body label={`${name} body`} text={body} />
    )}
  </div>
)
