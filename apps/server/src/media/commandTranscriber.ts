import { open } from "node:fs/promises"
import { dirname } from "node:path"
import { ProviderFailed, type SpokenMedia, Transcriber } from "@tapedeck/core"
import { Repairs } from "@tapedeck/domain/capture"
import { formatOf, parseTranscript, repairedTranscriptText, transcriptText } from "@tapedeck/domain/transcript"
import { Effect, Layer } from "effect"
import { logRepairs } from "./logRepairs.ts"
import { type ProcessFailed, runProcess } from "./runProcess.ts"

export interface CommandOptions {
  /** The program and its arguments. `{file}` is replaced by the path; without it, the file is standard input. */
  readonly words: ReadonlyArray<string>
  /** Names of variables that the program gets besides PATH, HOME, LANG and TMPDIR. */
  readonly passEnvironment: ReadonlyArray<string>
}

const maxOutputBytes = 64 * 1024 * 1024

const place = "{file}"

/** Transcribes with a program that writes WebVTT, SubRip or JSON to its standard output. */
export const layerCommandTranscriber = ({ passEnvironment, words }: CommandOptions): Layer.Layer<Transcriber> => {
  const [program = "", ...args] = words

  const run = (path: string, input?: number) =>
    runProcess(
      program,
      args.map((arg) => arg.replaceAll(place, () => path)),
      { directory: dirname(path), maxOutputBytes, passEnvironment, ...(input !== undefined && { input }) }
    )

  const transcribe = Effect.fnUntraced(function* ({ path, recordingUuid }: SpokenMedia) {
    const ran = args.some((arg) => arg.includes(place)) ? run(path) : withInput(path, (input) => run(path, input))
    const output = yield* Effect.mapError(ran, failed)
    const exact = transcriptText(output)
    if (exact === null) {
      yield* Effect.logWarning("The transcriber's output has invalid bytes, which are read as U+FFFD", {
        program,
        recording_uuid: recordingUuid
      })
    }
    const text = exact ?? repairedTranscriptText(output)
    const repairs = new Repairs()
    const transcript = yield* Effect.mapError(
      Effect.fromResult(parseTranscript(formatOf(text), text, repairs)),
      ({ message }) => commandFailed(`${program} wrote invalid ${formatOf(text)}: ${message}`, false)
    )
    yield* logRepairs(repairs, { program, recording_uuid: recordingUuid })
    return transcript
  })

  return Layer.succeed(Transcriber, Transcriber.of({ transcribe }))
}

const withInput = <A, E>(path: string, use: (input: number) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.promise(() => open(path, "r")),
    ({ fd }) => use(fd),
    (file) => Effect.promise(() => file.close())
  )

/** Retried unless the output was too large: a missing program may be installed, a model downloaded. */
const failed = (cause: ProcessFailed) => commandFailed(cause.message, cause.reason !== "too_much_output")

/** Users see the reason, too: the operator's own command says what is wrong with their video. */
const commandFailed = (reason: string, again: boolean) => new ProviderFailed({ reason, problem: reason, again })
