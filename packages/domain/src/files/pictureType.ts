import * as Schema from "effect/Schema"

export const PictureType = Schema.Literals(["image/png", "image/jpeg"])
export type PictureType = typeof PictureType.Type

const beginnings: ReadonlyArray<readonly [PictureType, ReadonlyArray<number>]> = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]]
]

/** Returns the type of a picture by its first bytes; undefined if it is neither PNG nor JPEG. */
export const pictureTypeOf = (bytes: Uint8Array): PictureType | undefined =>
  beginnings.find(([, beginning]) => beginning.every((byte, index) => bytes[index] === byte))?.[0]
