import { accessSync, constants, statSync } from "node:fs"
import { basename, delimiter, dirname, join } from "node:path"
import { commandWords } from "../media/commandWords.ts"
import { optional, type Problem, secretFile, setting } from "./setting.ts"
import { durationOf, httpUrl, oneOf, onOff, sizeBytes, text, variableNames, wholeNumber } from "./values.ts"

/** Settings of video processing and transcription. */
export const media = {
  ffmpeg: setting({
    value: "FILE",
    description: "path of ffmpeg, with ffprobe in the same directory, or off",
    details: "See [videos and transcripts](media.md).",
    parse: text,
    initial: "ffmpeg"
  }),
  transcriber_url: optional({
    value: "URL",
    description: "an OpenAI-compatible transcription endpoint, up to /v1",
    parse: httpUrl,
    initially: "none"
  }),
  transcriber_model: setting({
    value: "NAME",
    description: "model of the transcription endpoint",
    parse: text,
    initial: "whisper-1"
  }),
  transcriber_words: setting({
    value: "on|off",
    description: "whether to request the time of each word",
    parse: onOff,
    initial: false,
    initially: "off"
  }),
  transcriber_format: setting<"verbose_json" | "json">({
    value: "FORMAT",
    description: "response format of the endpoint: verbose_json, with times, or json, without",
    parse: oneOf("verbose_json", "json"),
    initial: "verbose_json",
    initially: "verbose_json"
  }),
  transcriber_part: setting({
    value: "DURATION",
    description: "maximum length of the audio of one request to the endpoint; longer audio is sent in parts",
    parse: durationOf,
    initial: 10 * 60 * 1000,
    initially: "PT10M"
  }),
  transcriber_key: optional({
    value: "KEY",
    description: "API key of the transcription endpoint",
    parse: text,
    initially: "none",
    secret: true
  }),
  transcriber_key_file: secretFile("a file with the API key of the transcription endpoint"),
  transcriber_command: optional({
    value: "COMMAND",
    description: "a command that transcribes {file}, or standard input, instead of an endpoint",
    parse: commandWords,
    initially: "none"
  }),
  summarizer_url: optional({
    value: "URL",
    description: "an OpenAI-compatible chat endpoint, up to /v1, which writes titles, summaries and chapters",
    details: "See [title, summary and chapters](media.md#title-summary-and-chapters).",
    parse: httpUrl,
    initially: "none"
  }),
  summarizer_model: setting({
    value: "NAME",
    description: "model of the chat endpoint",
    parse: text,
    initial: "gpt-4o-mini"
  }),
  summarizer_key: optional({
    value: "KEY",
    description: "API key of the chat endpoint",
    parse: text,
    initially: "none",
    secret: true
  }),
  summarizer_key_file: secretFile("a file with the API key of the chat endpoint"),
  summarizer_timeout: setting({
    value: "DURATION",
    description: "maximum time of a request to the chat endpoint",
    parse: durationOf,
    initial: 2 * 60 * 1000,
    initially: "PT2M"
  }),
  summarizer_characters: setting({
    value: "N",
    description: "maximum number of characters of a transcript that the chat endpoint gets; the rest is cut",
    parse: wholeNumber(1_000, 400_000),
    initial: 48_000
  }),
  media_concurrency: setting({
    value: "N",
    description: "maximum number of concurrent media jobs",
    parse: wholeNumber(1, 16),
    initial: 1
  }),
  media_timeout: setting({
    value: "DURATION",
    description: "maximum time of a media job with all its programs, such as PT1H, after which the job is given up",
    parse: durationOf,
    initial: 30 * 60 * 1000,
    initially: "PT30M"
  }),
  media_max_duration: setting({
    value: "DURATION",
    description: "maximum length of a video that is processed or transcribed",
    details: "See [limits](media.md#limits).",
    parse: durationOf,
    initial: 4 * 60 * 60 * 1000,
    initially: "PT4H"
  }),
  media_memory: setting({
    value: "SIZE",
    description: "maximum memory (address space) of one run of ffmpeg",
    details: "See [limits](media.md#limits).",
    parse: sizeBytes,
    initial: 2 * 1024 ** 3,
    initially: "2GB"
  }),
  pass_environment: setting<ReadonlyArray<string>>({
    value: "NAME,…",
    description: "variables for ffmpeg and transcriber_command in addition to PATH, HOME, LANG and TMPDIR",
    parse: variableNames,
    initial: [],
    initially: "none"
  })
}

interface Media {
  readonly transcriber_url: string | undefined
  readonly transcriber_command: ReadonlyArray<string> | undefined
}

/** Errors of combinations of settings. */
export const mediaProblems = (config: Media): ReadonlyArray<Problem<keyof Media>> =>
  config.transcriber_command !== undefined && config.transcriber_url !== undefined
    ? [{ names: ["transcriber_command", "transcriber_url"], text: "set one of them" }]
    : []

/** ffmpeg, where the operator names it, must be a program with ffprobe beside it. Not named and not found, videos stay as they are. */
export const ffmpegProblems = (
  text: string | undefined,
  path: string | undefined
): ReadonlyArray<Problem<"ffmpeg">> => {
  if (text === undefined || text === "off") return []
  const probe = join(dirname(text), basename(text).replace("ffmpeg", "ffprobe"))
  const programs = new Set([text, text.includes("/") ? probe : basename(probe)])
  const missing = [...programs].filter((file) => !isProgram(file, path))
  return missing.map((file) => ({ names: ["ffmpeg"], text: `${file}: no such program; off processes no videos` }))
}

const isProgram = (file: string, path = ""): boolean => {
  const places = file.includes("/") ? [file] : path.split(delimiter).map((folder) => join(folder, file))
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK)
      return statSync(place).isFile()
    } catch {
      return false
    }
  })
}
