import { auditSchedule, folderSchedule, MAX_AUDIT_RETRIES, type RetrySchedule } from "@tapedeck/domain/delivery"
import { AUTOMATION_TIMEOUT_MS, auditDestinationDefaults } from "@tapedeck/domain/internal/receivers"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { auditLogEvent, recordingAddedToFolder } from "./payloads.ts"

const seconds = (ms: number): string => `${ms / 1000} s`
const delay = (ms: number): string => (ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`)

/** Returns the delays of a schedule as a text: `1 min, 5 min and 2 h`. */
const delays = (schedule: RetrySchedule): string =>
  schedule
    .map(delay)
    .join(", ")
    .replace(/, ([^,]*)$/, " and $1")

const success =
  "A 2xx response within the time-out is a success. Any other response, including a redirect and 410, is a failure, and `Retry-After` " +
  "does not change the schedule."

const repeats =
  "A delivery can arrive more than once, with the same `webhook-id` and the same body: do the work once for each `webhook-id`."

const taken = () => HttpApiSchema.Empty(204).annotate({ description: "Any 2xx response: the delivery is delivered." })

const addedEndpoint = () =>
  HttpApiEndpoint.post("recording_added_to_folder", "/recording.added_to_folder", {
    payload: recordingAddedToFolder(),
    success: taken()
  }).annotateMerge(
    about(
      "recordingAddedToFolder",
      "Recording added to a folder",
      "The service sends this request to the URL of each enabled automation of a folder when a recording is added to the folder. The method " +
        "is the automation's: `POST` by default, or `PUT`, `PATCH` or `DELETE`, which have the same body. An automation with a custom payload " +
        `sends that instead.\n\n${success} The time-out is ${seconds(AUTOMATION_TIMEOUT_MS)}. After a failure, the service retries ` +
        `${folderSchedule.length} times, ${delays(folderSchedule)} after the start of the previous attempt. ${repeats}`
    )
  )

const auditEndpoint = () =>
  HttpApiEndpoint.post("audit_log_event", "/audit_log", {
    payload: auditLogEvent(),
    success: taken()
  }).annotateMerge(
    about(
      "auditLogEvent",
      "Audit entry written",
      "The service sends this request to the URL of each enabled audit destination whose filters let the audit entry pass.\n\n" +
        `${success} The time-out is the destination's: ${seconds(auditDestinationDefaults.timeoutMs)} by default. After a failure, the service retries as often as the ` +
        `destination allows: ${auditDestinationDefaults.maxRetries} times by default, at most ${MAX_AUDIT_RETRIES} times, ` +
        `${delays(auditSchedule(MAX_AUDIT_RETRIES))} after the start of the previous attempt. ${repeats}`
    )
  )

/**
 * Returns the requests that the service sends to receivers, as the API of a receiver. The path of each is its name in the `webhooks` of the
 * OpenAPI document.
 */
export const makeWebhooks = () =>
  HttpApi.make("tapedeck-webhooks").add(
    HttpApiGroup.make("webhooks")
      .add(addedEndpoint(), auditEndpoint())
      .annotateMerge(
        OpenApi.annotations({
          title: "Webhooks",
          description: "Requests that the service sends to the receivers of automations and audit destinations."
        })
      )
  )
