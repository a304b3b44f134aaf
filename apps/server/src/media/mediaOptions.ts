import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import type { DataDirectory } from "../config/dataDirectory.ts"
import type { Config } from "../config/settings.ts"
import type { SummarizerOptions } from "./endpointSummarizer.ts"
import type { MediaOptions, TranscriberChoice } from "./media.ts"

/**
 * The media worker's part of the configuration. Working copies are on the same disk as the files. Throws a `ConfigInvalid`.
 */
export const mediaOptionsOf = (config: Config, directory: DataDirectory | null): MediaOptions => ({
  ffmpeg: config.ffmpeg,
  transcriber: transcriberIn(config),
  summarizer: summarizerIn(config),
  maxSummarizedCharacters: config.summarizer_characters,
  concurrency: config.media_concurrency,
  timeoutMs: config.media_timeout,
  maxSeconds: config.media_max_duration / 1000,
  maxFileBytes: config.upload_limit,
  maxMemoryBytes: config.media_memory,
  passEnvironment: config.pass_environment,
  directory: directory?.temporary ?? join(tmpdir(), `tapedeck-${process.pid}`)
})

const summarizerIn = (config: Config): SummarizerOptions | null =>
  config.summarizer_url === undefined
    ? null
    : {
        url: config.summarizer_url,
        model: config.summarizer_model,
        key: config.summarizer_key === undefined ? undefined : Redacted.make(config.summarizer_key),
        timeoutMs: config.summarizer_timeout
      }

const transcriberIn = (config: Config): TranscriberChoice | null => {
  if (config.transcriber_command !== undefined) return { kind: "command", words: config.transcriber_command }
  if (config.transcriber_url === undefined) return null
  return {
    kind: "endpoint",
    url: config.transcriber_url,
    model: config.transcriber_model,
    key: config.transcriber_key === undefined ? undefined : Redacted.make(config.transcriber_key),
    words: config.transcriber_words,
    format: config.transcriber_format,
    partSeconds: config.transcriber_part / 1000
  }
}
