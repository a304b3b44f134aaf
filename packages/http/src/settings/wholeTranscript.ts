import type { ReadRecording } from "@tapedeck/core"
import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { segmentPages } from "../segmentPages.ts"
import { wireSegment } from "../wire/transcript.ts"

/** A whole transcript, as a reader sees it (R13, R14): the contract's `Transcript`, written a page of segments at a time. */
export const wholeTranscript = ({ recording, transcript }: ReadRecording): HttpServerResponse.HttpServerResponse => {
  const { language, speakerMap, status } = transcript
  const head = JSON.stringify({ recording_uuid: recording.uuid, status, language, speaker_map: speakerMap })
  const segments = Stream.map(segmentPages(transcript), ({ offset, segments }) => {
    const text = JSON.stringify(segments.map(wireSegment)).slice(1, -1)
    return offset === 0 ? text : `,${text}`
  })
  const body = Stream.make(`${head.slice(0, -1)},"segments":[`).pipe(
    Stream.concat(segments),
    Stream.concat(Stream.make("]}"))
  )
  return HttpServerResponse.stream(Stream.encodeText(body), { contentType: "application/json" })
}
