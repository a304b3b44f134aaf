import type { LogStart, PublicView, ReadRecording } from "@tapedeck/core"
import { type Recording, toIso } from "@tapedeck/domain"
import { bestVideo } from "@tapedeck/domain/internal/files"
import { chaptersOf } from "@tapedeck/domain/internal/recordings"
import { Stream } from "effect"
import { escapeHtml, isolated } from "../html.ts"
import { logSection } from "./log.ts"
import { script } from "./script.ts"
import { style } from "./style.ts"
import { clock, transcriptSection } from "./transcript.ts"

interface Head {
  readonly look?: "wide" | "embed"
  /** Origins whose pages may embed this one. */
  readonly origins?: ReadonlyArray<string>
  /** Tags for services that show a preview. */
  readonly tags?: string
}

const head = (title: string, { look, origins = [], tags = "" }: Head = {}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title dir="auto">${escapeHtml(title)}</title>
${tags}<style>${style}</style>
</head>
<body${look === "embed" ? ` data-origins="${escapeHtml(origins.join(" "))}"` : ""}>
<main${look === undefined ? "" : ` class="${look}"`}>
`

const tail = `
</main>
</body>
</html>
`

/**
 * The public page of a recording (W12): its title, its video, its transcript, what is written about it, and its
 * log where that is shared. Links are relative to
 * the page, so that it works wherever the service is mounted. It works without its script, but for the jumps.
 */
export const publicPage = (
  { recording, transcript }: ReadRecording,
  log: LogStart | null,
  { name, tags }: { readonly name: string; readonly tags: string }
): Stream.Stream<string> => {
  const title = titleOf(recording)
  const texts = [recording.summary, recording.description].filter((text) => text !== null && text !== "")
  const hasVideo = bestVideo(recording) !== null
  const hasSegments = transcript.segments > 0
  const before = `${head(title, hasSegments ? { look: "wide", tags } : { tags })}<h1 dir="auto">${escapeHtml(title)}</h1>
<p class="facts">${facts(recording).map(escapeHtml).join(" · ")}</p>
<div class="beside">
<div>
${stage({ recording, transcript }, name)}
${hasVideo ? '<div class="copy"><button type="button" hidden>Copy link</button><output></output></div>\n' : ""}${hasVideo ? chapterList(recording) : ""}${texts.length === 0 ? "" : `<section class="card text" aria-label="About this recording">${texts.map((text) => `<p dir="auto">${escapeHtml(text ?? "")}</p>`).join("")}</section>`}
${log === null ? "" : logSection(log, name, hasVideo)}</div>
`
  const after = `
</div>
${hasVideo ? `<script>${script}</script>` : ""}${tail}`
  const beside = transcriptSection(transcript, hasVideo)
  return Stream.concat(Stream.concat(Stream.make(before), beside), Stream.make(after))
}

/**
 * The page for a frame in another page: the video and its transcript, without anything around them. Its script obeys pages of the
 * origins that may embed it, and no others.
 */
export const embedPage = ({ embedOrigins, recording, transcript }: PublicView): Stream.Stream<string> => {
  const hasVideo = bestVideo(recording) !== null
  const before = `${head(titleOf(recording), { look: "embed", origins: embedOrigins })}<h1 class="hidden" dir="auto">${escapeHtml(titleOf(recording))}</h1>
${stage({ recording, transcript }, ".")}\n`
  const after = `\n${hasVideo ? `<script>${script}</script>` : ""}${tail}`
  const beside = transcriptSection(transcript, hasVideo)
  return Stream.concat(Stream.concat(Stream.make(before), beside), Stream.make(after))
}

/** The chapters as buttons that jump to their start. */
const chapterList = (recording: Recording): string => {
  const chapters = chaptersOf(recording)
  if (chapters.length === 0) return ""
  const items = chapters.map(
    ({ startSeconds, title }) =>
      `<li><button type="button" data-at="${startSeconds}"><time datetime="PT${startSeconds}S">${clock(startSeconds)}</time>${isolated(title)}</button></li>`
  )
  return `<nav class="chapters" aria-label="Chapters"><ol>${items.join("")}</ol></nav>\n`
}

export const titleOf = ({ title }: Recording): string => title ?? "Untitled recording"

const stage = ({ recording, transcript }: ReadRecording, name: string): string => {
  const played = {
    name,
    title: titleOf(recording),
    language: transcript.language,
    hasSegments: transcript.segments > 0
  }
  const content = bestVideo(recording) === null ? "<p>The video is not available yet.</p>" : player(recording, played)
  return `<div class="stage">${content}</div>`
}

const facts = ({ createdAt, durationSeconds }: Recording): ReadonlyArray<string> => {
  const day = `${toIso(createdAt).slice(0, 16).replace("T", " ")} UTC`
  return durationSeconds === null ? [day] : [day, `${clock(durationSeconds)} ${durationSeconds < 3600 ? "min" : "h"}`]
}

interface Played {
  /** The last segment of the page's address, to which its files' addresses are relative. */
  readonly name: string
  readonly title: string
  readonly language: string | null
  readonly hasSegments: boolean
}

const player = ({ video }: Recording, { hasSegments, language, name, title }: Played): string => {
  const captions = hasSegments
    ? `<track kind="captions" label="Captions" srclang="${escapeHtml(language ?? "und")}" src="${name}/captions">`
    : ""
  // Browsers show the first frame of a video without a still, which is better than a drawn one.
  const poster = video.thumbnail === undefined ? "" : ` poster="${name}/thumbnail"`
  return `<video controls preload="metadata" aria-label="${escapeHtml(title)}"${poster} src="${name}/video">${captions}</video>`
}

/** A page with a title and ready HTML. */
export const plainPage = (title: string, html: string): string =>
  `${head(title)}<h1>${escapeHtml(title)}</h1>\n${html}${tail}`

export const missingPage = `${head("Recording not found")}<h1>Recording not found</h1>
<p>There is no recording at this address.</p>${tail}`

/** A drawn still, for recordings without one. */
export const drawnStill = (
  recording: Recording
): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" width="640" height="360" role="img">
<title dir="auto">${escapeHtml(titleOf(recording))}</title>
<rect width="640" height="360" fill="#0b0d12"/>
<circle cx="320" cy="180" r="56" fill="#fff" fill-opacity=".92"/>
<path d="M304 150v60l48-30z" fill="#0b0d12"/>
</svg>
`
