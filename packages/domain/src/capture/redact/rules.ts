/** Replacement of a redacted value. */
export const REDACTED = "[redacted]"

/**
 * Rules by which redactions are counted: the value of a header, query parameter or field by its name; credentials before the host of
 * an address; a JSON Web Token; a bearer token or a token of a known form; a card number; an e-mail address; a body that no site keeps;
 * and values that were already redacted (`earlier`).
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

/** Number of redactions by rule. Rules without redactions are absent. */
export type Redactions = Readonly<Partial<Record<RedactionRule, number>>>

/** Redaction rules of a site, in addition to the rules that always apply. */
export interface SiteRedaction {
  /** Names of headers, case-insensitive. */
  readonly headers: ReadonlyArray<string>
  /** Names of query parameters and fields, case-insensitive. */
  readonly query_parameters: ReadonlyArray<string>
  /** CSS selectors of elements that are blurred while recording. */
  readonly selectors: ReadonlyArray<string>
  /**
   * Addresses without query whose bodies are kept; `*` stands for any characters. An address that starts with `!` is never kept,
   * whatever else matches.
   */
  readonly body_urls: ReadonlyArray<string>
}

export const noSiteRedaction: SiteRedaction = { headers: [], query_parameters: [], selectors: [], body_urls: [] }
