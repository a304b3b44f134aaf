/** A source map as the build writes it, and what Node finds in one. */
interface SourceMap {
  readonly findEntry: (line: number, column: number) => Partial<Place>
}
interface Place {
  readonly originalSource: string
  readonly originalLine: number
  readonly originalColumn: number
}

/**
 * Has stack traces of a bundled command name its sources. The map of a file lies beside it, and is read when the first stack
 * with a frame of that file is shown: Node's own maps cost every start. Imports nothing.
 */
export const showSources = (): void => {
  const maps = new Map<string, SourceMap | null>()
  const mapOf = (file: string): SourceMap | null => {
    const known = maps.get(file)
    if (known !== undefined) return known
    const map = readMap(file)
    maps.set(file, map)
    return map
  }
  const placed = (frame: NodeJS.CallSite): string => {
    const text = String(frame)
    const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()]
    if (!file || line === null || column === null) return text
    const { originalColumn, originalLine, originalSource } = mapOf(file)?.findEntry(line - 1, column - 1) ?? {}
    if (originalSource === undefined || originalLine === undefined || originalColumn === undefined) return text
    return text.replace(`${file}:${line}:${column}`, `${originalSource}:${originalLine + 1}:${originalColumn + 1}`)
  }
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${placed(frame)}`)].join("\n")
}

/** Null for a file without a map: a module of Node, or a source itself. */
const readMap = (file: string): SourceMap | null => {
  if (file.startsWith("node:")) return null
  try {
    const { fileURLToPath } = process.getBuiltinModule("node:url")
    const path = file.startsWith("file:") ? fileURLToPath(file) : file
    const text = process.getBuiltinModule("node:fs").readFileSync(`${path}.map`, "utf8")
    return new (process.getBuiltinModule("node:module").SourceMap)(JSON.parse(text)) as SourceMap
  } catch {
    return null
  }
}
