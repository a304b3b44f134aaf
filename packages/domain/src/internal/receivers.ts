/** Automations and audit destinations: headers, filters, secrets. Internal to the packages of Tapedeck: any release may change it. */

export { auditDestinationDefaults, passesFilters } from "../receivers/AuditDestination.ts"
export { AUTOMATION_TIMEOUT_MS, noCondition, unmetCondition } from "../receivers/Automation.ts"
export { addressedTo } from "../receivers/addressed.ts"
export { AUDIT_SIGNATURE_HEADER, vendorSignatureHeader } from "../receivers/headers.ts"
export { MASK } from "../receivers/mask.ts"
export {
  DEFAULT_OVERLAP_MS,
  livePreviousSecrets,
  MAX_OVERLAP_MS,
  MAX_PREVIOUS_SECRETS,
  type Rotation,
  rotateSecret,
  secretProblem,
  signingSecrets
} from "../receivers/webhookSecret.ts"
export {
  hasVariables,
  MAX_RENDERED_URL_LENGTH,
  parseUrlTemplate,
  type RenderedUrl,
  renderUrl,
  type UrlTemplate,
  type UrlValues,
  urlVariables,
  withSampleValues
} from "../template/urlTemplate.ts"
