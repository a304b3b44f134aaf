import type { OpenTranscript } from "@tapedeck/core"
import type { Segment } from "@tapedeck/domain"
import { startOfSegment, voicesOf } from "@tapedeck/domain/internal/transcript"
import { isLanguageTag } from "@tapedeck/domain/transcript"
import { Stream } from "effect"
import { escapeHtml, isolated } from "../html.ts"
import { type SegmentPage, segmentPages } from "../segmentPages.ts"

/** The transcript beside the video. Where there is a video, each segment is a button that jumps to its time. */
export const transcriptSection = (transcript: OpenTranscript, hasVideo: boolean): Stream.Stream<string> => {
  if (transcript.status === "processing") {
    return section(Stream.make("<p>The transcript is being made. It will be here in a while.</p>"))
  }
  if (transcript.segments === 0) return Stream.empty
  const { language } = transcript
  const lang = language !== null && isLanguageTag(language) ? ` lang="${language}"` : ""
  const help = hasVideo
    ? '<p class="hidden" id="transcript-help">Each segment is a button that plays the video from there. The arrow keys move between them.</p>\n'
    : ""
  const described = hasVideo ? ' aria-describedby="transcript-help"' : ""
  const open = `${help}<div class="segments" role="group" aria-labelledby="transcript-title"${described}${lang}>\n`
  const items = Stream.map(segmentPages(transcript), (page) => list(page, transcript, hasVideo))
  return section(Stream.concat(Stream.concat(Stream.make(open), items), Stream.make("</div>")))
}

/** A list for each page of segments: browsers skip the rendering of lists outside the view. */
const list = ({ offset, segments }: SegmentPage, transcript: OpenTranscript, hasVideo: boolean): string => {
  const items = segments.map((segment, index) => item(segment, transcript, { hasVideo, isFirst: offset + index === 0 }))
  return `<ol start="${offset + 1}">\n${items.join("\n")}\n</ol>\n`
}

const section = (content: Stream.Stream<string>): Stream.Stream<string> => {
  const head = `<section class="card transcript" aria-labelledby="transcript-title">
<h2 id="transcript-title">Transcript</h2>
`
  return Stream.concat(Stream.concat(Stream.make(head), content), Stream.make("\n</section>"))
}

interface Place {
  readonly hasVideo: boolean
  /** The one that the tab key reaches at first: thousands would be in the way. */
  readonly isFirst: boolean
}

const item = (segment: Segment, { speakerMap }: OpenTranscript, { hasVideo, isFirst }: Place): string => {
  const seconds = startOfSegment(segment)
  const voices = voicesOf(segment, speakerMap)
    .map(({ name, text }) => (name === null ? escapeHtml(text) : `<b>${isolated(name)}:</b> ${escapeHtml(text)}`))
    .join("\n")
  const content = `<time datetime="PT${segment.startSeconds}S">${clock(segment.startSeconds)}</time><span dir="auto">${voices}</span>`
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
