import { isLanguageTag, type ReadableTranscript, type Segment, startOfSegment, voicesOf } from "@tapedeck/domain"
import { escapeHtml } from "../html.ts"

/** The transcript beside the video. Where there is a video, each segment is a button that jumps to its time. */
export const transcriptSection = (transcript: ReadableTranscript, hasVideo: boolean): string => {
  if (transcript.status === "processing") {
    return section("<p>The transcript is being made. It will be here in a while.</p>")
  }
  if (transcript.segments.length === 0) return ""
  const items = transcript.segments.map((segment, index) =>
    item(segment, transcript, { hasVideo, isFirst: index === 0 })
  )
  const { language } = transcript
  const lang = language !== null && isLanguageTag(language) ? ` lang="${language}"` : ""
  const help = hasVideo
    ? '<p class="hidden" id="transcript-help">Each segment is a button that plays the video from there. The arrow keys move between them.</p>\n'
    : ""
  const described = hasVideo ? ' aria-describedby="transcript-help"' : ""
  return section(
    `${help}<div class="segments" role="group" aria-labelledby="transcript-title"${described}${lang}>\n${lists(items)}\n</div>`
  )
}

/** How many segments a browser looks at together: those that nobody sees cost it nothing, a part at a time. */
const together = 50

const lists = (items: ReadonlyArray<string>): string => {
  const parts: Array<string> = []
  for (let at = 0; at < items.length; at += together) {
    parts.push(`<ol start="${at + 1}">\n${items.slice(at, at + together).join("\n")}\n</ol>`)
  }
  return parts.join("\n")
}

const section = (content: string): string =>
  `<section class="card transcript" aria-labelledby="transcript-title">
<h2 id="transcript-title">Transcript</h2>
${content}
</section>`

interface Place {
  readonly hasVideo: boolean
  /** The one that the tab key reaches at first: thousands would be in the way. */
  readonly isFirst: boolean
}

const item = (segment: Segment, { speakerMap }: ReadableTranscript, { hasVideo, isFirst }: Place): string => {
  const seconds = startOfSegment(segment)
  const said = voicesOf(segment, speakerMap)
    .map(({ name, text }) => (name === null ? escapeHtml(text) : `<b>${escapeHtml(name)}:</b> ${escapeHtml(text)}`))
    .join("\n")
  const content = `<time datetime="PT${segment.startSeconds}S">${clock(segment.startSeconds)}</time><span>${said}</span>`
  return hasVideo
    ? `<li><button type="button" class="segment" data-at="${seconds}"${isFirst ? "" : ' tabindex="-1"'}>${content}</button></li>`
    : `<li><div class="segment">${content}</div></li>`
}

/** `1:02:03`, `2:03`. */
export const clock = (seconds: number): string => {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0")
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`
}
