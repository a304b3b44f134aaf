import { randomBytes } from "node:crypto"

const keyPattern = /^([0-9a-f]{64})-[0-9a-f]{16}$/

/**
 * A new name for content: its hash, and a random part. A name is used once, so that a removal that arrives late, after the same
 * content was stored again, removes nothing else.
 */
export const newContentKey = (sha256: string): string => `${sha256}-${randomBytes(8).toString("hex")}`

export const isContentKey = (name: string): boolean => keyPattern.test(name)

/** The hash in the name of content. */
export const sha256Of = (key: string): string => key.slice(0, 64)
