import { AuditSignature as DomainAuditSignature, WebhookMethod as DomainWebhookMethod } from "@tapedeck/domain"
import { Schema } from "effect"
import { dateTime, text } from "../../wire/fields.ts"
import { listOf, secretsAreMasked } from "../fields.ts"

/** What automations and audit destinations have in common. */

export const WebhookMethod = DomainWebhookMethod.annotate({
  identifier: "WebhookMethod",
  description: "The method of the request. `DELETE` carries the body too.",
  examples: ["POST"]
})

export const AuditSignature = DomainAuditSignature.annotate({
  identifier: "AuditSignature",
  description: "How the digest is written in `X-Webhook-Signature`.",
  examples: ["hex"]
})

export const webhookUrl = Schema.String.annotate({
  description: "Where to: HTTPS.",
  format: "uri",
  examples: ["https://hooks.example.com/tapedeck"],
  maxLength: 2048
})

export const maskedHeaders = Schema.Record(Schema.String, Schema.String).annotate({
  description: `Custom headers. ${secretsAreMasked}`,
  examples: [{ "X-Api-Key": "••••••••" }]
})

export const headers = Schema.Record(Schema.String, Schema.String).annotate({
  description:
    "Custom headers: names to values. The service sets `Host`, the signature headers, and those of the connection and the body: " +
    "`Connection`, `Content-Encoding`, `Content-Length`, `Expect`, `Keep-Alive`, `Proxy-Connection`, `TE`, `Trailer`, " +
    "`Transfer-Encoding`, `Upgrade`.",
  examples: [{ "X-Api-Key": "k-4711" }]
})

export const maskedSecret = "••••••••LaSw"

export const secretToSet = Schema.String.annotate({
  description: "Signs every delivery. What follows `whsec_` is base64; any other text signs as it is.",
  examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  minLength: 1,
  maxLength: 255
})

/** Without their text: that is for the one call that views secrets. */
export const previousSecrets = listOf(
  Schema.Struct({ expires_at: dateTime("Until when it signs along.") }),
  "Old secrets that still sign beside the present one, newest first."
)

const viewed = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

export const Secret = Schema.Struct({
  secret: Schema.NullOr(Schema.String).annotate({
    description: "The secret that signs; null where deliveries are not signed.",
    examples: [viewed]
  }),
  previous_secrets: listOf(
    Schema.Struct({ secret: text("An old secret.", viewed), expires_at: dateTime("Until when it signs along.") }),
    "Old secrets that still sign beside it, newest first."
  )
}).annotate({ identifier: "Secret", description: "What signs deliveries, to be copied to the receiver." })
export type Secret = typeof Secret.Type

export const SecretRotation = Schema.Struct({
  secret: Schema.optionalKey(secretToSet),
  overlap_seconds: Schema.optionalKey(
    Schema.Int.annotate({
      description:
        "How long the old secret signs too, in seconds: 0 to 604,800 (a week). Default: a day. 0 ends every old secret at once.",
      examples: [86_400]
    })
  )
}).annotate({
  identifier: "SecretRotation",
  description: "The new secret (one is made where none is given), and how long the old one signs along."
})
