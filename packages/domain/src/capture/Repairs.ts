import { isStorableText, storableText } from "../storableText.ts"

/** A change that made an item of a log or a transcript readable. */
export interface Repair {
  /** Position of the repair: a line and its field, or a path. */
  readonly where: string
  readonly repair: string
}

/** Maximum number of stored repairs. Further ones are only counted. */
const maxKept = 20

/** Collects the repairs of a log or a transcript while it is read. */
export class Repairs {
  count = 0
  readonly first: Array<Repair> = []

  note(where: string, repair: string): void {
    if (this.count++ < maxKept) this.first.push({ where, repair })
  }

  add({ count, first }: Repairs): void {
    this.first.push(...first.slice(0, maxKept - this.first.length))
    this.count += count
  }

  /** Returns the text without the characters that no store accepts. */
  storable(text: string, where: string): string {
    if (isStorableText(text)) return text
    this.note(where, "NUL and lone surrogates became U+FFFD")
    return storableText(text)
  }
}
