import { endOfString } from "../../json.ts"
import type { Sliced } from "../../slices.ts"

/** Position of a value in a JSON text. */
export interface JsonPlace {
  readonly start: number
  readonly end: number
}

/** Thrown at the position at which a text is not JSON. */
export class NotJson {
  readonly at: number
  constructor(at: number) {
    this.at = at
  }
}

/** Number of characters that are read in a slice. */
const slice = 64 * 1024

/**
 * Finds values in a JSON text without parsing it. Only brackets, strings and separators are read, so that values can be parsed one by
 * one, and a malformed value does not affect others. Throws `NotJson` if the structure around the values is broken.
 */
export class JsonPlaces {
  private readonly text: string
  private readUpTo = 0

  constructor(text: string) {
    this.text = text
  }

  /** Calls `each` for each member of the object that starts at `start`. Returns the position after the object. */
  *members(start: number, each: (key: string, at: number) => Sliced<number>): Sliced<number> {
    let at = this.afterSpace(this.after(start, "{"))
    while (this.text[at] !== "}") {
      if (this.text[at] !== '"') throw new NotJson(at)
      const end = endOfString(this.text, at)
      const key = this.text.slice(at + 1, end)
      const value = this.afterSpace(this.after(this.afterSpace(end + 1), ":"))
      at = this.next(yield* each(key, value), "}")
    }
    return at + 1
  }

  /** Calls `each` for each item of the list that starts at `start`. Returns the position after the list. */
  *items(start: number, each: (item: JsonPlace) => void): Sliced<number> {
    let at = this.afterSpace(this.after(start, "["))
    while (this.text[at] !== "]") {
      const end = yield* this.skip(at)
      each({ start: at, end })
      at = this.next(end, "]")
    }
    return at + 1
  }

  /** Returns the position after the value that starts at `start`. */
  *skip(start: number): Sliced<number> {
    const { text } = this
    let depth = 0
    for (let at = start; at < text.length; at++) {
      if (at - this.readUpTo >= slice) {
        yield at - this.readUpTo
        this.readUpTo = at
      }
      switch (text[at]) {
        case '"':
          at = endOfString(text, at)
          break
        case "{":
        case "[":
          depth++
          continue
        case "}":
        case "]":
          if (depth === 0) return this.notEmpty(start, at)
          depth--
          break
        case ",":
          if (depth === 0) return this.notEmpty(start, at)
          continue
        default:
          continue
      }
      if (depth === 0) return at + 1
    }
    throw new NotJson(text.length)
  }

  isAt(place: number, character: string): boolean {
    return this.text[place] === character
  }

  afterSpace(start: number): number {
    notSpace.lastIndex = start
    return notSpace.exec(this.text)?.index ?? this.text.length
  }

  private notEmpty(start: number, end: number): number {
    if (start === end) throw new NotJson(start)
    return end
  }

  private after(at: number, character: string): number {
    if (this.text[at] !== character) throw new NotJson(at)
    return at + 1
  }

  /** Returns the position of the next member or item, or of the end of the object or list. */
  private next(end: number, close: string): number {
    const at = this.afterSpace(end)
    if (this.text[at] === close) return at
    const next = this.afterSpace(this.after(at, ","))
    if (this.text[next] === close) throw new NotJson(next)
    return next
  }
}

const notSpace = /[^ \n\r\t]/g
