import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { VerifySyncOptions } from "@tapedeck/signing"
import type { Vector, VectorFile } from "./makeVectors.ts"

export const vectorsDirectory = join(import.meta.dirname, "../../vectors")

const names = ["folder.json", "audit.json", "standard.json"]

/** What is in the package, not what would be made. */
const vectorFiles: ReadonlyArray<VectorFile> = names.map((name) =>
  JSON.parse(readFileSync(join(vectorsDirectory, name), "utf8"))
)

export const vectors: ReadonlyArray<readonly [name: string, file: VectorFile, vector: Vector]> = vectorFiles.flatMap(
  (file) => file.cases.map((vector) => [`${file.scheme}: ${vector.name}`, file, vector] as const)
)

export const optionsOf = (file: VectorFile, vector: Vector): VerifySyncOptions => ({
  scheme: file.scheme,
  body: Buffer.from(vector.body_base64, "base64"),
  headers: Object.fromEntries(vector.headers),
  secret: vector.secrets,
  now: vector.now * 1000
})
