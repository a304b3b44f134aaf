import { MASK } from "@tapedeck/core"

/** Minimum length of a secret whose end is shown: the end of a shorter one would reveal too much of it. */
const minLengthWithEnd = 20

/** A masked secret, with its last four characters (S3). */
export const maskedSecret = (secret: string): string =>
  secret.length < minLengthWithEnd ? MASK : MASK + [...secret].slice(-4).join("")

/** Headers by their names alone (S3). */
export const maskedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]))
