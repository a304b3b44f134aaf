import { Effect, Stream } from "effect"
import type { FileContent } from "../Store.ts"

const pieceBytes = 64 * 1024

/** Byte `index` of every made-up file: cheap, the same at each reading, and without a short period. */
const madeUpByte = (index: number) => (index * 31 + (index >>> 8) * 17 + (index >>> 16) * 7) & 0xff

const madeUpBytes = (start: number, length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) bytes[at] = madeUpByte(start + at)
  return bytes
}

/** The bytes of a file from `start`, `length` of them or as many as there are, in pieces of 64 KiB. */
export const readFile = (content: FileContent, start: number, length: number): Stream.Stream<Uint8Array> => {
  if (content.kind === "bytes") return Stream.succeed(content.bytes.subarray(start, start + length))
  return readMadeUp(content.sizeBytes, start, length)
}

/** The same of a file of `sizeBytes` made-up ones. */
export const readMadeUp = (sizeBytes: number, start: number, length: number): Stream.Stream<Uint8Array> => {
  const end = Math.min(start + length, sizeBytes)
  return Stream.unfold(start, (at) =>
    Effect.succeed(
      at >= end ? undefined : ([madeUpBytes(at, Math.min(pieceBytes, end - at)), at + pieceBytes] as const)
    )
  )
}
