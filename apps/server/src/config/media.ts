import { commandWords } from "../media/commandWords.ts"
import { optional, secretFile, setting } from "./setting.ts"
import { durationOf, httpUrl, onOff, text, variableNames, wholeNumber } from "./values.ts"

/** What looks into videos, and what listens to them. */
export const media = {
  ffmpeg: setting({
    value: "FILE",
    says: "the ffmpeg that looks into uploads, ffprobe beside it, or off",
    parse: text,
    initial: "ffmpeg"
  }),
  transcriber_url: optional({
    value: "URL",
    says: "an OpenAI-compatible endpoint that transcribes, up to /v1",
    parse: httpUrl,
    initially: "none"
  }),
  transcriber_model: setting({ value: "NAME", says: "its model", parse: text, initial: "whisper-1" }),
  transcriber_words: setting({
    value: "on|off",
    says: "whether it is asked for the time of each word",
    parse: onOff,
    initial: false,
    initially: "off"
  }),
  transcriber_key: optional({ value: "KEY", says: "its API key", parse: text, initially: "none", secret: true }),
  transcriber_key_file: secretFile("a file with its API key"),
  transcriber_command: optional({
    value: "COMMAND",
    says: "a command that transcribes {file}, or its standard input, in place of an endpoint",
    parse: commandWords,
    initially: "none"
  }),
  media_concurrency: setting({
    value: "N",
    says: "how many videos are processed or transcribed at a time",
    parse: wholeNumber(1, 16),
    initial: 1
  }),
  media_timeout: setting({
    value: "DURATION",
    says: "how long ffmpeg or a transcriber may take with one, such as PT1H",
    parse: durationOf,
    initial: 30 * 60 * 1000,
    initially: "PT30M"
  }),
  pass_environment: setting<ReadonlyArray<string>>({
    value: "NAME,…",
    says: "variables that ffmpeg and transcriber_command get besides PATH, HOME, LANG and TMPDIR",
    parse: variableNames,
    initial: [],
    initially: "none"
  })
}

interface Media {
  readonly transcriber_url: string | undefined
  readonly transcriber_command: ReadonlyArray<string> | undefined
}

/** What is wrong with settings together, each line naming its variables. */
export const mediaProblems = (config: Media): ReadonlyArray<string> => [
  ...(config.transcriber_command !== undefined && config.transcriber_url !== undefined
    ? ["TAPEDECK_TRANSCRIBER_COMMAND and TAPEDECK_TRANSCRIBER_URL: set one of them"]
    : [])
]
