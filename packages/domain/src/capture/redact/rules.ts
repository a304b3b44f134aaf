/** What stands where a secret stood. */
export const REDACTED = "[redacted]"

/**
 * What a redaction is counted by: the value of a header, query parameter or field by its name; credentials before an address's
 * host; a JSON Web Token; a bearer token or one of a known form; a card number; an e-mail address; a body that no site keeps;
 * and what came redacted (`earlier`).
 */
export const redactionRules = [
  "header",
  "query_parameter",
  "field",
  "credentials",
  "jwt",
  "bearer",
  "card",
  "email",
  "body",
  "earlier"
] as const
export type RedactionRule = (typeof redactionRules)[number]

/** How often each rule applied; a rule that never did is absent. */
export type Redactions = Readonly<Partial<Record<RedactionRule, number>>>

/** What a site adds to the rules that always hold. */
export interface SiteRedaction {
  /** Names of headers, in any case. */
  readonly headers: ReadonlyArray<string>
  /** Names of query parameters and fields, in any case. */
  readonly query_parameters: ReadonlyArray<string>
  /** CSS selectors of what is blurred while recording. */
  readonly selectors: ReadonlyArray<string>
  /**
   * Addresses whose bodies are kept, without query; `*` stands for any characters. One that begins with `!` refuses, and refusal
   * wins over permission.
   */
  readonly body_urls: ReadonlyArray<string>
}

export const noSiteRedaction: SiteRedaction = { headers: [], query_parameters: [], selectors: [], body_urls: [] }
