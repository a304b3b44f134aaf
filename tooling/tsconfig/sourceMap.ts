import { relative, resolve } from "node:path"
import { decode, encode } from "@jridgewell/sourcemap-codec"
import type { Rolldown } from "tsdown"

type Bundle = Rolldown.OutputBundle
type File = Rolldown.OutputAsset | Rolldown.OutputChunk

const repository = resolve(import.meta.dirname, "../..")

interface SourceMap {
  readonly sources: ReadonlyArray<string>
  readonly mappings: string
}

/** What a text of one line became: `column` is where it ended, `shift` how many letters more there are from there on. */
interface Edit {
  readonly column: number
  readonly shift: number
}

const mapOf = (bundle: Bundle, file: File) => {
  const map = file.type === "chunk" && file.sourcemapFileName ? bundle[file.sourcemapFileName] : undefined
  return map?.type === "asset" ? map : undefined
}

/**
 * Replaces what a pattern matches in a chunk, none of it beyond a line, and moves the places in the chunk's source map along.
 */
export const replaceInChunk = (
  bundle: Bundle,
  chunk: Rolldown.OutputChunk,
  pattern: RegExp,
  by: (...match: ReadonlyArray<string>) => string
): void => {
  const edits = new Map<number, Array<Edit>>()
  let line = 0
  let lineStart = 0
  let seen = 0
  chunk.code = chunk.code.replaceAll(pattern, (...match: ReadonlyArray<string | number>) => {
    const text = String(match[0])
    const offset = match.find((one) => typeof one === "number") as number
    for (let end = chunk.code.indexOf("\n", seen); end !== -1 && end < offset; end = chunk.code.indexOf("\n", seen)) {
      line++
      lineStart = seen = end + 1
    }
    const replacement = by(...match.map(String))
    const ofLine = edits.get(line) ?? []
    edits.set(line, ofLine)
    ofLine.push({ column: offset - lineStart + text.length, shift: replacement.length - text.length })
    return replacement
  })
  const asset = mapOf(bundle, chunk)
  if (asset === undefined || edits.size === 0) return
  const map = JSON.parse(String(asset.source)) as SourceMap
  const decoded = decode(map.mappings)
  for (const [number, ofLine] of edits) {
    let next = 0
    let shift = 0
    for (const segment of decoded[number] ?? []) {
      for (; next < ofLine.length && ofLine[next]!.column <= segment[0]; next++) shift += ofLine[next]!.shift
      segment[0] += shift
    }
  }
  asset.source = JSON.stringify({ ...map, mappings: encode(decoded) })
}

/** Names sources by their paths in the repository, or in `node_modules`, and leaves their texts out: they are for stack traces. */
export const placesOnly: Rolldown.Plugin = {
  name: "places-only",
  generateBundle: ({ dir = "." }, bundle) => {
    for (const file of Object.values(bundle)) {
      const asset = mapOf(bundle, file)
      if (asset === undefined) continue
      const { mappings, sources } = JSON.parse(String(asset.source)) as SourceMap
      const named = sources.map((source) => {
        const path = relative(repository, resolve(dir, source))
        const installed = path.lastIndexOf("node_modules/")
        return installed === -1 ? path : path.slice(installed)
      })
      asset.source = JSON.stringify({ version: 3, names: [], sources: named, mappings })
    }
  }
}
