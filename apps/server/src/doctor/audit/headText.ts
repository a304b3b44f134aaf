import type { KnownHead } from "@tapedeck/core"

/** `SEQ:HASH`, as `audit verify` prints it; undefined for anything else. */
export const headIn = (text: string): KnownHead | undefined => {
  const [, seq, link] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(text) ?? []
  return seq === undefined || link === undefined ? undefined : { seq: Number(seq), link }
}

export const headText = ({ link, seq }: KnownHead): string => `${seq}:${link}`
