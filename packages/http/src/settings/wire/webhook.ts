import type { settings } from "@tapedeck/contract"
import { shownCondition } from "@tapedeck/core/input"
import { type AuditDestination, type Automation, type Instant, type SigningSecrets, toIso } from "@tapedeck/domain"
import { type ReceiverHealth, unknownHealth } from "@tapedeck/domain/internal/delivery"
import { livePreviousSecrets, noCondition } from "@tapedeck/domain/internal/receivers"
import { maskedHeaders, maskedSecret } from "./mask.ts"

/** Returns the old secrets that still sign, without their text. */
const wirePrevious = (secrets: SigningSecrets, at: Instant) =>
  livePreviousSecrets(secrets, at).map(({ expiresAt }) => ({ expires_at: toIso(expiresAt) }))

const wireHealth = ({ failedInARow, failingSince, lastSuccessAt }: ReceiverHealth = unknownHealth) => ({
  last_success_at: lastSuccessAt === null ? null : toIso(lastSuccessAt),
  failing_since: failingSince === null ? null : toIso(failingSince),
  failed_in_a_row: failedInARow
})

/** An automation, its secrets masked (S3). */
export const wireAutomation = (
  automation: Automation,
  at: Instant,
  health: ReceiverHealth | undefined,
  vendor: string
): settings.Automation => ({
  id: automation.id,
  folder_id: automation.folderId,
  url: automation.url,
  method: automation.method,
  headers: maskedHeaders(automation.headers),
  payload: automation.payloadTemplate,
  only: shownCondition(automation.only ?? noCondition, vendor),
  secret: maskedSecret(automation.secret),
  previous_secrets: wirePrevious(automation, at),
  enabled: automation.enabled,
  health: wireHealth(health),
  created_at: toIso(automation.createdAt)
})

/** An audit destination, its secrets masked (S3). */
export const wireDestination = (
  destination: AuditDestination,
  at: Instant,
  health: ReceiverHealth | undefined
): settings.AuditDestination => ({
  id: destination.id,
  name: destination.name,
  url: destination.url,
  description: destination.description,
  headers: maskedHeaders(destination.headers),
  secret: destination.secret === null ? null : maskedSecret(destination.secret),
  previous_secrets: wirePrevious(destination, at),
  filters: {
    categories: destination.filters.categories,
    event_types: destination.filters.eventTypes,
    severities: destination.filters.severities
  },
  timeout_seconds: destination.timeoutMs / 1000,
  max_retries: destination.maxRetries,
  signature: destination.signature,
  enabled: destination.enabled,
  health: wireHealth(health),
  created_at: toIso(destination.createdAt)
})

/** The secrets themselves: for the one answer that shows them. */
export const wireSecret = (secrets: SigningSecrets, at: Instant): settings.Secret => ({
  secret: secrets.secret,
  previous_secrets: livePreviousSecrets(secrets, at).map(({ expiresAt, secret }) => ({
    secret,
    expires_at: toIso(expiresAt)
  }))
})
