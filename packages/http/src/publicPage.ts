import { bestVideo, type Recording, toIso } from "@tapedeck/domain"
import { escapeHtml } from "./html.ts"

const style = `
  :root { color-scheme: light dark; --ink: #1d2330; --soft: #667085; --ground: #f5f6f8; --card: #fff; --line: #e3e6ec }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #eceef3; --soft: #98a2b3; --ground: #14171f; --card: #1d212b; --line: #2d323e }
  }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
  main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere }
  .facts { color: var(--soft); margin: 0 0 1.25rem; font-size: .9rem }
  .stage { background: #0b0d12; border-radius: .75rem; overflow: hidden; aspect-ratio: 16 / 9; display: grid; place-items: center }
  video { width: 100%; height: 100%; display: block }
  .stage p { color: #98a2b3; margin: 0; padding: 1rem; text-align: center }
  .text { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .25rem 1.25rem; margin-top: 1.25rem }
  .text p { white-space: pre-wrap; overflow-wrap: anywhere }
`

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

/**
 * The public page of a recording (W12): its title, its video, what is written about it. Links are relative to the page,
 * so that it works wherever the service is mounted.
 */
export const publicPage = (recording: Recording): string => {
  const title = recording.title ?? "Untitled recording"
  const texts = [recording.summary, recording.description].filter((text) => text !== null && text !== "")
  return page(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p class="facts">${facts(recording).map(escapeHtml).join(" · ")}</p>
<div class="stage">${player(recording)}</div>
${texts.length === 0 ? "" : `<section class="text">${texts.map((text) => `<p>${escapeHtml(text ?? "")}</p>`).join("")}</section>`}`
  )
}

const facts = ({ createdAt, durationSeconds }: Recording): ReadonlyArray<string> => {
  const day = `${toIso(createdAt).slice(0, 16).replace("T", " ")} UTC`
  return durationSeconds === null ? [day] : [day, length(durationSeconds)]
}

const length = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`

const player = (recording: Recording): string =>
  bestVideo(recording) === null
    ? "<p>The video is not available yet.</p>"
    : `<video controls preload="metadata" poster="${recording.uuid}/thumbnail" src="${recording.uuid}/video"></video>`

export const missingPage: string = page(
  "Recording not found",
  "<h1>Recording not found</h1>\n<p>There is no recording at this address.</p>"
)

/** A still for the recording: drawn, since no frame of the video is kept. */
export const thumbnail = (
  recording: Recording
): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" width="640" height="360" role="img">
<title>${escapeHtml(recording.title ?? "Untitled recording")}</title>
<rect width="640" height="360" fill="#0b0d12"/>
<circle cx="320" cy="180" r="56" fill="#fff" fill-opacity=".92"/>
<path d="M304 150v60l48-30z" fill="#0b0d12"/>
</svg>
`
