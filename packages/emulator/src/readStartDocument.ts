import { readFileSync } from "node:fs"
import { parseDocument } from "yaml"

/** A fixtures file that cannot be read or parsed; the message names the file, and line and column where it can. */
export class UnreadableStartDocument extends Error {
  override readonly name = "UnreadableStartDocument"
}

/** Reads a start document from a YAML or JSON file (JSON is YAML). Throws an `UnreadableStartDocument`. */
export const readStartDocument = (file: string): unknown => {
  const document = parseDocument(readText(file), { prettyErrors: true })
  const [error] = document.errors
  if (error !== undefined) throw new UnreadableStartDocument(`${file}: ${error.message}`)
  return document.toJS()
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw new UnreadableStartDocument(`${file}: ${error instanceof Error ? error.message : "cannot be read"}`)
  }
}
