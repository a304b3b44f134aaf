import { originProblem } from "../capture/origins.ts"

/** Maximum number of origins whose pages may embed the recordings of an account. */
export const MAX_EMBED_ORIGINS = 20

const maxLength = 512

/**
 * Returns an origin whose pages may embed recordings, as browsers write it: HTTPS, or loopback. Undefined for any other text, also for
 * an address with a path: it would allow every page of its host.
 */
export const embedOrigin = (text: string): string | undefined => {
  const written = text.trim()
  if (written.length > maxLength || !URL.canParse(written)) return undefined
  const { href, origin } = new URL(written)
  // A host may have characters that are syntax in a policy, such as `;`.
  return href === `${origin}/` && !origin.includes("*") && originProblem(origin) === undefined ? origin : undefined
}

/** Returns the origins as browsers write them, each one once. */
export const embedOriginsOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(texts.flatMap((text) => embedOrigin(text) ?? []))
]
