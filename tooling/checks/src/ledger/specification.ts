/**
 * What the fidelity ledger has to have a row of: every endpoint, rule and table row of the specification, by the name that
 * the ledger knows it by, and every decision. In the order in which the ledger is read.
 */

const numbered = (prefix: string, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)

/** `of` and its fields: `Recording.uuid`. */
const fields = (of: string, names: string): ReadonlyArray<string> => names.split(" ").map((name) => `${of}.${name}`)

const words = (prefix: string, ...rows: ReadonlyArray<string>): ReadonlyArray<string> =>
  rows.map((row) => `${prefix}: ${row}`)

export interface Section {
  readonly title: string
  readonly rows: ReadonlyArray<string>
}

export const specification: ReadonlyArray<Section> = [
  { title: "General rules", rows: numbered("General rule ", 6) },
  {
    title: "Recording (v2)",
    rows: [
      ...fields(
        "Recording",
        "uuid title summary description metadata technical_details console_logs customer user room_insights"
      ),
      ...fields(
        "RecordingMetadata",
        "created_at updated_at duration impressions_count recording_type recording_source url helpdesk_info"
      ),
      ...fields(
        "HelpdeskInfo",
        "platform conversation_id ticket_id active_ticket_id user_id operator_id customer_id issue_id object_id"
      ),
      ...fields("TechnicalDetails", "vendor ip_address timezone network_type isp"),
      ...fields("Customer", "email"),
      ...fields("RecordingUser", "email name"),
      ...fields(
        "RoomInsights",
        "started_at ended_at duration total_participant_minutes total_unique_participants participants_insights"
      ),
      ...fields(
        "ParticipantInsight",
        "participant_id display_name role browser os device device_type user_agent joined_at left_at"
      )
    ]
  },
  {
    title: "Transcript",
    rows: [
      ...fields("RecordingTranscript", "recording_uuid status language speaker_map pagination segments"),
      ...fields("TranscriptSegment", "start_seconds end_seconds text sentences"),
      "Transcript source rules"
    ]
  },
  {
    title: "User, pagination, legacy recording",
    rows: [
      ...fields("User", "email name has_profile_picture role notifications created_at updated_at"),
      ...fields("Pagination", "count page items pages next_page prev_page last_page from to"),
      "Paginated body",
      "Legacy v1 recording"
    ]
  },
  {
    title: "States and transitions",
    rows: [
      "Transcript status",
      "Recording type",
      ...words(
        "Delivery attempt",
        "initial attempt, success",
        "initial attempt, failure",
        "retry n, success",
        "retry n < 5, failure",
        "retry 5, failure"
      )
    ]
  },
  {
    title: "Endpoints",
    rows: [
      "GET /recordings",
      ...words("GET /recordings", "page", "ticket_id", "provider"),
      "GET /recordings/{uuid}",
      "PATCH /recordings/{uuid}",
      "GET /recordings/{uuid}/download",
      "GET /recordings/{uuid}/transcript",
      "GET /recordings/{uuid}/transcript: page",
      "GET /users",
      "GET /users/search",
      "GET /api/v1/recordings",
      "GET /api/v1/recordings/{uuid}",
      "Other operations"
    ]
  },
  { title: "Authentication", rows: numbered("Authentication ", 5) },
  {
    title: "Events: folder automation webhook",
    rows: [
      "Trigger",
      ...words("Automation", "Webhook URL", "HTTP method", "Headers", "Custom payload", "Test"),
      ...words(
        "Payload",
        ..."event timestamp recording.id recording.title recording.url recording.video_url recording.thumbnail_url".split(
          " "
        ),
        ..."recording.customer_email recording.duration recording.browser recording.os recording.console_errors".split(
          " "
        ),
        ..."recording.network_errors recording.created_at folder.id folder.name account.id account.name".split(" ")
      ),
      "Template variables",
      "Signing",
      ...words("Retry schedule", "initial", "retry 1", "retry 2", "retry 3", "retry 4", "retry 5"),
      "Success within 30 seconds",
      "Execution log"
    ]
  },
  {
    title: "Events: audit-log webhook",
    rows: [
      ...words(
        "Destination",
        ...["Name", "URL", "Description", "Secret key", "Custom headers", "Timeout", "Max retries", "Filters"]
      ),
      "Test delivery",
      "Audit payload",
      "X-Webhook-Signature",
      "Audit retry delays"
    ]
  },
  {
    title: "Errors",
    rows: [...["400", "401", "403", "404", "409", "422", "500"].map((status) => `Error ${status}`), "Error body shapes"]
  },
  {
    title: "Limits",
    rows: words(
      "Limit",
      "transcript segments",
      "automation webhook",
      "audit webhook",
      "webhook URLs",
      "page values",
      "rate",
      "page size",
      "text lengths"
    )
  },
  {
    title: "Versioning",
    rows: words("Versioning", "two path versions", "v1 exposes reads only", "v2 root", "sunset of v1")
  },
  { title: "Decisions: names", rows: numbered("N", 7) },
  { title: "Decisions: requests and answers", rows: numbered("R", 26) },
  { title: "Decisions: folder automations", rows: numbered("W", 15) },
  { title: "Decisions: audit-log destinations", rows: numbered("A", 8) },
  { title: "Decisions: settings", rows: numbered("S", 4) }
]

/** Where the ledger keeps choices of our own that no decision names; they are listed in the ledger alone. */
export const ownChoices = "Choices of our own"
