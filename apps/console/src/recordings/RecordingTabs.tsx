import type { Settings } from "@tapedeck/client"
import type { LogHeader } from "@tapedeck/domain/capture"
import { Send } from "lucide-react"
import { DeliveryTable } from "../deliveries/DeliveryTable.tsx"
import { useDeliveries } from "../deliveries/queries.ts"
import { Badge } from "../ui/Badge.tsx"
import { Facts } from "../ui/Facts.tsx"
import { bytes, clockLength, known } from "../ui/format.ts"
import { Scrollable } from "../ui/Scrollable.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { When } from "../ui/time.tsx"
import { platformName, redactedText, ticketOf, typeMeanings, typeTones } from "./facts.ts"
import { GeneratedMark, Generation } from "./GeneratedTexts.tsx"

type Recording = Settings.Recording

const fileText = (file: Settings.VideoFile | null): string | null =>
  file === null ? null : `${file.content_type}, ${bytes(file.size_bytes)}`

const columns = "grid grid-cols-1 items-start gap-x-8 gap-y-6 md:grid-cols-2"

export const DetailsTab = ({ recording }: { readonly recording: Recording }) => {
  const { customer, metadata, user, video } = recording
  const { helpdesk_info: helpdesk } = metadata
  return (
    <div className={columns}>
      <div className="space-y-4">
        {recording.summary !== null && (
          <p className="font-medium wrap-anywhere" dir="auto">
            {recording.summary} <GeneratedMark source={recording.summary_source} />
          </p>
        )}
        {recording.description !== null && (
          <p className="wrap-anywhere whitespace-pre-wrap text-soft" dir="auto">
            {recording.description}
          </p>
        )}
        <Generation recording={recording} />
        <Facts
          facts={[
            [
              "Type",
              <span key="type" title={known(typeMeanings, metadata.recording_type)}>
                <Badge tone={known(typeTones, metadata.recording_type) ?? "plain"}>{metadata.recording_type}</Badge>
              </span>
            ],
            ["Source", metadata.recording_source],
            ["Length", metadata.duration !== null && clockLength(metadata.duration)],
            ["Views", metadata.impressions_count],
            ["Created", <When key="created" at={metadata.created_at} />],
            ["Changed", <When key="changed" at={metadata.updated_at} />]
          ]}
        />
      </div>
      <Facts
        facts={[
          ["Customer", customer.email],
          ["Owner", user === null ? null : `${user.name} (${user.email})`],
          ["Helpdesk", platformName(helpdesk.platform)],
          ["Ticket", ticketOf(recording)],
          ["Follow-up ticket", helpdesk.active_ticket_id],
          ["Conversation", helpdesk.conversation_id],
          ["Helpdesk’s customer", helpdesk.customer_id],
          ["Original", fileText(video.original)],
          ["Processed", fileText(video.processed)],
          ["Edited", fileText(video.edited)],
          [
            "Public page",
            <a
              key="url"
              href={metadata.url}
              target="_blank"
              rel="noreferrer"
              className="break-all text-accent hover:underline"
            >
              {metadata.url}
            </a>
          ]
        ]}
      />
    </div>
  )
}

/** Address of a page as a link. Another address, such as of a script, is text. */
const PageLink = ({ url }: { readonly url: string }) =>
  /^https?:\/\//i.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
      <bdi>{url}</bdi>
    </a>
  ) : (
    <bdi>{url}</bdi>
  )

interface TechnicalTabProps {
  readonly recording: Recording
  /** Where the log was captured; null without a log. */
  readonly page: LogHeader | null
}

export const TechnicalTab = ({
  page,
  recording: { browser, os, redactions, technical_details: details, uuid }
}: TechnicalTabProps) => (
  <Facts
    facts={[
      ["UUID", <code key="uuid">{uuid}</code>],
      ["Page", page !== null && page.page.url !== "" && <PageLink key="page" url={page.page.url} />],
      ["Title of the page", page !== null && page.page.title !== "" && <bdi key="title">{page.page.title}</bdi>],
      ["Viewport", page !== null && page.viewport.width > 0 && `${page.viewport.width} × ${page.viewport.height}`],
      ["Browser", browser],
      ["Operating system", os],
      ["User agent", page?.user_agent],
      ["Language of the browser", page?.language],
      ["Browser vendor", details.vendor],
      ["IP address", details.ip_address],
      ["Time zone", details.timezone],
      ["Network", details.network_type],
      ["Internet provider", details.isp],
      ["Redacted in the log", redactions !== undefined && redactedText(redactions)]
    ]}
  />
)

export const RoomTab = ({ room }: { readonly room: Settings.RoomInsights }) => (
  <div className="space-y-4">
    <Facts
      facts={[
        ["Started", room.started_at !== null && <When key="began" at={room.started_at} />],
        ["Ended", room.ended_at !== null && <When key="ended" at={room.ended_at} />],
        ["Length", room.duration !== null && clockLength(room.duration)],
        ["Participants", room.total_unique_participants],
        ["Minutes of all together", room.total_participant_minutes]
      ]}
    />
    <Scrollable label="Participants" className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full text-left">
        <thead className="border-b border-line bg-sunken text-xs text-soft">
          <tr>
            {["Name", "Role", "Browser", "System", "Device", "Joined", "Left"].map((name) => (
              <th key={name} className="px-3 py-1.5 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {room.participants_insights?.map((one) => (
            <tr key={one.participant_id} className="border-b border-line last:border-b-0">
              <td className="px-3 py-2 font-medium">{one.display_name ?? one.participant_id}</td>
              <td className="px-3 py-2">{one.role}</td>
              <td className="px-3 py-2">{one.browser}</td>
              <td className="px-3 py-2">{one.os}</td>
              <td className="px-3 py-2">{one.device ?? one.device_type}</td>
              <td className="px-3 py-2">{one.joined_at !== null && <When at={one.joined_at} />}</td>
              <td className="px-3 py-2">{one.left_at !== null && <When at={one.left_at} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  </div>
)

export const WebhooksTab = ({ uuid }: { readonly uuid: string }) => {
  const deliveries = useDeliveries({ recording: uuid })
  return (
    <Loaded query={deliveries}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty icon={Send} title="No webhooks about this recording">
            One is sent when the recording is added to a folder that has an automation. Choose a folder above.
          </Empty>
        ) : (
          <DeliveryTable rows={rows} total={deliveries.total} onEnd={deliveries.onEnd} />
        )
      }
    </Loaded>
  )
}
