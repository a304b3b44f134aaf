import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A secret like no other, in plain letters: what a file's text would show of it. */
export const secret = (name: string) => `planted-${name}-${randomBytes(12).toString("hex")}`

/** The text as it might be written: as it is, in hex, and in base64 of either alphabet, wherever it begins in a longer text. */
const spellings = (secret: string | Buffer): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret as string)
  const shifted = [0, 1, 2].map((shift) => {
    const coded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64")
    // The first and the last characters depend on the neighbours.
    return coded.slice(shift === 0 ? 0 : 4, -4)
  })
  const url = shifted.map((coded) => coded.replaceAll("+", "-").replaceAll("/", "_"))
  const hex = bytes.toString("hex")
  return [...new Set([bytes.toString("latin1"), hex, hex.toUpperCase(), ...shifted, ...url])]
}

/** Which secrets are where in what was written. */
export const leaksIn = (written: ReadonlyMap<string, string>, secrets: Readonly<Record<string, string | Buffer>>) =>
  [...written].flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([name, value]) =>
      spellings(value).some((spelling) => text.includes(spelling)) ? [`${name}: ${place}`] : []
    )
  )

/** Every file below a folder, as it is now. */
export const keepFiles = (written: Map<string, string>, folder: string, when: string) => {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile()) written.set(`${file} ${when}`, readFileSync(file, "latin1"))
  }
}
