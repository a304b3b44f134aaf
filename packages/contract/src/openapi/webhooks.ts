import { AUDIT_SIGNATURE_HEADER, vendorSignatureHeader } from "@tapedeck/domain/internal/receivers"
import { makeWebhooks } from "../webhooks/endpoints.ts"
import { generate } from "./generate.ts"
import { exampleOf, type JsonSchema, mapValues } from "./schemas.ts"
import type { OpenApiDocument, OpenApiOperation, OpenApiOptions, OpenApiParameter } from "./types.ts"

type Options = Pick<OpenApiOptions, "standardWebhooks" | "vendor">

const header = (name: string, example: string, required: boolean, description: string): OpenApiParameter => ({
  name,
  in: "header",
  description,
  required,
  schema: { type: "string", examples: [example] }
})

const hmac = "HMAC-SHA256 of the body, keyed with the UTF-8 bytes of the secret"
const digest = "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"

/** The headers of Standard Webhooks. Without a secret, a delivery has no signature. */
const standardHeaders = (isAlwaysSigned: boolean): ReadonlyArray<OpenApiParameter> => [
  header("webhook-id", "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10", true, "Id of the delivery, the same for each attempt."),
  header("webhook-timestamp", "1767258000", true, "Time of the attempt, in seconds since 1970."),
  header(
    "webhook-signature",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    isAlwaysSigned,
    "Signature of Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. The key is the decoded " +
      "base64 after `whsec_`, or the UTF-8 bytes of another secret. During the rotation of a secret it has an entry for each secret, " +
      `separated by spaces.${isAlwaysSigned ? "" : " Absent if the destination has no secret."}`
  )
]

const ownHeaders = ({ vendor }: Options): Readonly<Record<string, ReadonlyArray<OpenApiParameter>>> => ({
  recordingAddedToFolder: [
    header(vendorSignatureHeader(vendor), `sha256=${digest}`, true, `\`sha256=\` and the lower-case hex ${hmac}.`)
  ],
  auditLogEvent: [
    header(
      AUDIT_SIGNATURE_HEADER,
      digest,
      false,
      `${hmac}: lower-case hex, \`sha256=\` and lower-case hex, or base64, as the destination's \`signature\` says. Absent if the ` +
        "destination has no secret."
    )
  ]
})

const failure =
  "Any other response, no response within the time-out, or no connection: the attempt failed. The service retries on the schedule."

/** Returns the webhooks of a document, with their tag and the schemas of their payloads. */
export const webhooksOf = (
  options: Options
): {
  readonly webhooks: Record<string, Record<string, OpenApiOperation>>
  readonly tags: OpenApiDocument["tags"]
  readonly schemas: Record<string, JsonSchema>
} => {
  const { paths, schemas, tags } = generate(makeWebhooks())
  const own = ownHeaders(options)
  const webhooks = Object.entries(paths).map(([path, operations]) => [
    path.slice(1),
    mapValues(operations, (operation): OpenApiOperation => {
      const { operationId, requestBody, responses } = operation
      const headers = own[operationId] ?? []
      const isSigned = headers.every(({ required }) => required)
      return {
        ...operation,
        security: [],
        parameters: [...headers, ...(options.standardWebhooks === false ? [] : standardHeaders(isSigned))],
        requestBody: {
          required: true,
          content: mapValues(requestBody?.content ?? {}, ({ schema }) => ({
            schema,
            example: exampleOf(schema, schemas)
          }))
        },
        responses: {
          "2XX": { description: responses["204"]?.description ?? "", headers: {} },
          default: { description: failure, headers: {} }
        }
      }
    })
  ])
  return { webhooks: Object.fromEntries(webhooks), tags, schemas }
}
