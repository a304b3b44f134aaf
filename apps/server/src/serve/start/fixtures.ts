import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { type ServiceConfig, type StorePart, storeOf } from "@tapedeck/core"
import type { RecordingUuid } from "@tapedeck/domain"
import { decodeAll, pathText } from "@tapedeck/domain/input"
import { contentsOf, loadStartDocument, PartialWorldConfig, StartDocumentInvalid } from "@tapedeck/fixtures"
import { Effect, Result } from "effect"
import { type FileUnreadable, maxDocumentBytes, readGivenFile } from "../../config/readGivenFile.ts"

type Load = ReturnType<typeof loadStartDocument>

/** Start data: settings of the document, and the function that loads it into a store. */
export interface StartData {
  readonly config: PartialWorldConfig
  /** Loads the document with the configured vendor word. */
  readonly load: (
    vendor: string
  ) => Effect.Effect<unknown, Effect.Error<Load>, Effect.Services<Load> | ServiceConfig | StorePart<"deliveries">>
  /** The bytes of the document's files. */
  readonly contents: () => ReadonlyArray<Uint8Array>
  /** Recordings that the banner and the home page name. */
  readonly shown: ReadonlyArray<RecordingUuid>
  /** E-mail address of the admin whom the printed link signs in; null for no link. */
  readonly admin: string | null
}

/** The fixtures file cannot be read or parsed; the message names it. */
export class FixturesUnreadable extends Error {
  readonly _tag = "FixturesUnreadable"
  override readonly name = "FixturesUnreadable"
}

/** Reads and parses the file (JSON is YAML). Throws if it cannot be read; fails with the names of invalid settings. */
export const readFixtures = Effect.fnUntraced(function* (file: string) {
  const { config = {}, ...document } = yield* Effect.promise(() => parsed(file))
  const decoded = decodeAll(PartialWorldConfig)(config)
  if (Result.isFailure(decoded)) {
    const problems = decoded.failure.map(({ message, path }) => ({ path: pathText(["config", ...path]), message }))
    return yield* new StartDocumentInvalid({ problems })
  }
  const read = new Map<string, Uint8Array>()
  const readFile = (path: string) => {
    const bytes = read.get(path) ?? readFileSync(resolve(dirname(file), path))
    read.set(path, bytes)
    return bytes
  }
  const data: StartData = {
    shown: [],
    admin: null,
    config: decoded.success,
    contents: () => contentsOf(document, readFile),
    load: (vendor) =>
      Effect.ensuring(
        loadWithoutReads(loadStartDocument(document, { vendor, allowHttp: false, readFile })),
        Effect.sync(() => read.clear())
      )
  }
  return data
})

/** Only the emulator counts reads: on a server such a transcript would never change. */
const loadWithoutReads = Effect.fnUntraced(function* (load: ReturnType<typeof loadStartDocument>) {
  const { transaction } = yield* storeOf("transaction")
  const checked = Effect.filterOrFail(
    load,
    ({ readScripts }) => readScripts.length === 0,
    ({ made, readScripts }) =>
      new StartDocumentInvalid({
        problems: readScripts.map(({ recordingUuid }) => ({
          path: `recordings[${made.recordings.findIndex(({ uuid }) => uuid === recordingUuid)}].transcript.script`,
          message: "only the emulator counts reads: use `at` instead of `reads`"
        }))
      })
  )
  return yield* transaction(checked)
})

const parsed = async (file: string): Promise<Readonly<Record<string, unknown>>> => {
  const text = textOf(file)
  const document: unknown = file.endsWith(".json")
    ? (parseJson(text) ?? (await parseYaml(file, text)))
    : await parseYaml(file, text)
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new FixturesUnreadable(`${file}: a start document must be an object`)
  }
  return document as Readonly<Record<string, unknown>>
}

const textOf = (file: string): string => {
  try {
    return readGivenFile(file, maxDocumentBytes)
  } catch (error) {
    throw new FixturesUnreadable(`${file}: ${(error as FileUnreadable).message}`)
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** YAML's parser is loaded only if it is used, so that the server starts faster. */
const parseYaml = async (file: string, text: string): Promise<unknown> => {
  const { LineCounter, parseDocument } = await import("yaml")
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const [error] = document.errors
  if (error === undefined) return document.toJS() as unknown
  const { col, line } = lineCounter.linePos(error.pos[0])
  // The message omits the text that the error quotes, which may be a secret.
  throw new FixturesUnreadable(`${file}:${line}:${col}: ${withoutQuote(error.message)}`)
}

/** The message without the quoted text at its end. */
const withoutQuote = (message: string): string =>
  message.endsWith('"') && message.includes(': "') ? message.slice(0, message.indexOf(': "')) : message
