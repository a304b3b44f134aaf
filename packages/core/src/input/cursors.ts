import { Effect } from "effect"
import { InputMalformed } from "../errors.ts"

/** Encodes a position in a list as text for a URL: the kind of list, then the values after which it continues. */
export const cursorOf = (list: string, ...place: ReadonlyArray<number | string>): string =>
  Buffer.from(JSON.stringify([list, ...place])).toString("base64url")

const refused = new InputMalformed({ reason: "cursor must be the next_cursor of this list, with the same sort" })

/** Decodes a cursor of `cursorOf`; refuses a cursor of another list and other text. */
export const placeIn = (
  list: string,
  cursor: string,
  ...types: ReadonlyArray<"number" | "string">
): Effect.Effect<ReadonlyArray<number | string>, InputMalformed> => {
  try {
    const [name, ...place] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as ReadonlyArray<unknown>
    const isPlace =
      name === list &&
      place.length === types.length &&
      place.every((one, index) => {
        if (typeof one === "number" && !Number.isSafeInteger(one)) return false
        return typeof one === types[index] && !(typeof one === "string" && (one.includes("\0") || !one.isWellFormed()))
      })
    return isPlace ? Effect.succeed(place as ReadonlyArray<number | string>) : Effect.fail(refused)
  } catch {
    return Effect.fail(refused)
  }
}
