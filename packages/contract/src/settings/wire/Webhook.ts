import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, text } from "../../wire/fields.ts"
import { listOf, secretsAreMasked } from "../fields.ts"

/** Fields that automations and audit destinations have in common. */

/** The method of a request. */
export const WebhookMethod = input.automationSettings.method

export const AuditSignature = input.destinationSettings.signature

export const maskedHeaders = Schema.Record(Schema.String, Schema.String).annotate({
  description: `Custom headers. ${secretsAreMasked}`,
  examples: [{ "X-Api-Key": "••••••••" }]
})

export const maskedSecret = "••••••••LaSw"

/** Old secrets, without their text, which only the call that gets the secret returns. */
export const previousSecrets = listOf(
  Schema.Struct({ expires_at: dateTime("Time until which the secret signs deliveries, too.") }),
  "Old secrets that still sign deliveries in addition to the present one, newest first."
)

const viewed = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

export const Secret = Schema.Struct({
  secret: Schema.NullOr(Schema.String).annotate({
    description: "Secret that signs deliveries; null if deliveries are not signed.",
    examples: [viewed]
  }),
  previous_secrets: listOf(
    Schema.Struct({
      secret: text("Old secret.", viewed),
      expires_at: dateTime("Time until which the secret signs deliveries, too.")
    }),
    "Old secrets that still sign deliveries in addition to `secret`, newest first."
  )
}).annotate({ identifier: "Secret", description: "Secrets that sign deliveries. Copy them to your receiver." })
export type Secret = typeof Secret.Type

export const SecretRotation = input.SecretRotation.annotate({
  identifier: "SecretRotation",
  examples: [{ overlap_seconds: 86_400 }]
})
