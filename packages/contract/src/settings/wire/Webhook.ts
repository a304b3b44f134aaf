import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, text } from "../../wire/fields.ts"
import { listOf, secretsAreMasked } from "../fields.ts"

/** What automations and audit destinations have in common. */

/** The method of a request. */
export const WebhookMethod = input.automationSettings.method

export const AuditSignature = input.destinationSettings.signature

export const maskedHeaders = Schema.Record(Schema.String, Schema.String).annotate({
  description: `Custom headers. ${secretsAreMasked}`,
  examples: [{ "X-Api-Key": "••••••••" }]
})

export const maskedSecret = "••••••••LaSw"

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

export const SecretRotation = input.SecretRotation.annotate({
  identifier: "SecretRotation",
  examples: [{ overlap_seconds: 86_400 }]
})
