import { Effect, Stream } from "effect"
import type { FileContent, Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"

const pieceBytes = 64 * 1024

/** Byte `index` of every made-up file: cheap, the same at each reading, and without a short period. */
const madeUpByte = (index: number) => (index * 31 + (index >>> 8) * 17 + (index >>> 16) * 7) & 0xff

const madeUpBytes = (start: number, length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) bytes[at] = madeUpByte(start + at)
  return bytes
}

/** The bytes of a file from `start`, `length` of them or as many as there are, in pieces of 64 KiB. */
const readFile = (content: FileContent, start: number, length: number): Stream.Stream<Uint8Array> => {
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

/** Files in memory. */
export const fileRepository = ({ read, write }: MemoryState): Pick<Store, "files"> => ({
  files: {
    save: (id, content) => write((draft) => draft.edit("files").set(id, content)),
    add: (files) =>
      write((draft) => {
        for (const [id, content] of files) draft.edit("files").set(id, content)
      }),
    write: (id, bytes) =>
      Effect.flatMap(Stream.runCollect(bytes), (chunks) => {
        const whole = new Uint8Array(Buffer.concat(chunks))
        return Effect.as(
          write((draft) => draft.edit("files").set(id, { kind: "bytes", bytes: whole })),
          whole.length
        )
      }),
    attach: () => Effect.void,
    discard: (id) => write((draft) => draft.edit("files").delete(id)),
    remove: (id) => write((draft) => draft.edit("files").delete(id)),
    read: (id, start, length) =>
      read((state) => {
        const content = state.files.get(id)
        return content === undefined ? undefined : readFile(content, start, length)
      })
  }
})
