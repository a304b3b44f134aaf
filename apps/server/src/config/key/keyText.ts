import { randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { Redacted } from "effect"
import { type FileUnreadable, readGivenFile } from "../readGivenFile.ts"

/** A key cannot be used; the message names the cause and the remedy, and contains nothing of the key. */
export class KeyRefused extends Error {
  readonly _tag = "KeyRefused"
  override readonly name = "KeyRefused"
}

export type Key = Redacted.Redacted<Uint8Array>

const keyBytes = 32
const howToMakeOne = "make one with: openssl rand -base64 32"

/** Parses a key: 32 bytes in base64 (either alphabet) or hex. `place` names the text in the error. */
export const parseKey = (text: string, place: string): Key => {
  const written = text.trim()
  const bytes = /^[0-9a-f]{64}$/i.test(written)
    ? Buffer.from(written, "hex")
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(written)
      ? Buffer.from(written, "base64")
      : undefined
  if (bytes?.length !== keyBytes) {
    throw new KeyRefused(`${place}: must be ${keyBytes} bytes in base64 or hex; ${howToMakeOne}`)
  }
  return Redacted.make(new Uint8Array(bytes))
}

export const generateKey = (): Key => Redacted.make(new Uint8Array(randomBytes(keyBytes)))

/** The content of a key file. */
export const keyText = (key: Key): string => `${Buffer.from(Redacted.value(key)).toString("base64")}\n`

/** Reads a key file. Throws a `KeyRefused` if it cannot be read, or if others than its owner may read it. */
export const readKeyFile = (file: string, place: string): Key => {
  let text: string
  try {
    text = readGivenFile(file)
  } catch (error) {
    const { code, message } = error as FileUnreadable
    throw new KeyRefused(`${place}: ${code === "EACCES" ? "this user may not read it" : message}`)
  }
  if (isOpenToOthers(file)) {
    throw new KeyRefused(`${place}: other users may read it (${permissionsOf(file)}); chmod 600 ${file}`)
  }
  return parseKey(text, place)
}

/** Returns whether other users than the owner may read or write the file. */
export const isOpenToOthers = (file: string): boolean => (statSync(file).mode & 0o077) !== 0

export const permissionsOf = (file: string): string => (statSync(file).mode & 0o777).toString(8).padStart(4, "0")
