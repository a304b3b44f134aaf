import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/** The OIDs of the types `bigint` and `bigint[]`. */
const int8 = 20
const int8List = 1016

/** Byte by byte: a `DataView` for each number would be most of the allocations for a row. */
const half = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!

const read = (bytes: Uint8Array, offset: number): number =>
  half(bytes, offset) * 0x1_0000_0000 + (half(bytes, offset + 4) >>> 0)

/** Decodes `bigint` as numbers: none is above 2^53. */
export const types = PgTypes.makeRegistry()

types.register<number>(
  int8,
  {
    encode: (value) => {
      const bytes = new Uint8Array(8)
      new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
      return Result.succeed(bytes)
    },
    decode: (bytes) => Result.succeed(read(bytes, 0)),
    read: (bytes, offset) => Result.succeed(read(bytes, offset))
  },
  { arrayOid: int8List }
)
