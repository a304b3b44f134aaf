import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/** PostgreSQL's number of the type `bigint`. */
const int8 = 20

const read = (bytes: Uint8Array, offset: number): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 8)
  return view.getInt32(0) * 0x1_0000_0000 + view.getUint32(4)
}

/** Whole numbers come as numbers: none of ours is past 2^53. */
export const types = PgTypes.makeRegistry()

types.register<number>(int8, {
  encode: (value) => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
    return Result.succeed(bytes)
  },
  decode: (bytes) => Result.succeed(read(bytes, 0)),
  read: (bytes, offset) => Result.succeed(read(bytes, offset))
})
