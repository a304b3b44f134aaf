import { BadRequest } from "@tapedeck/contract"
import { NotFound, type PublicView, RecordingContent, recordingLinks, ServiceConfig } from "@tapedeck/core"
import type { Recording } from "@tapedeck/domain"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { partInTurn } from "../pipeline/unsentAnswers.ts"
import { jsonText } from "../responses.ts"
import type { Endpoint, EndpointRequest, PublicServices } from "../routes.ts"
import { escapeHtml } from "./html.ts"
import { titleOf } from "./publicPage/page.ts"

type Config = Pick<ServiceConfig["Service"], "publicUrl" | "vendor">

const maxShownText = 300

/** The tags by which other services show a preview of the page (Open Graph, Twitter cards), and the address of its oEmbed. */
export const previewTags = ({ recording }: PublicView, { publicUrl, vendor }: Config): string => {
  const { thumbnailUrl, url } = recordingLinks(publicUrl, recording.uuid)
  // A drawn still says nothing, and other services do not show SVG.
  const image = recording.video.thumbnail === undefined ? null : thumbnailUrl
  const text = recording.summary ?? recording.description
  const tags = [
    ["og:type", "video.other"],
    ["og:site_name", vendor],
    ["og:url", url],
    ["og:title", titleOf(recording)],
    ["og:description", text === null ? null : shortened(text)],
    ["og:image", image],
    ["twitter:card", image === null ? "summary" : "summary_large_image"]
  ] as const
  const oEmbedUrl = `${publicUrl}/oembed?format=json&url=${encodeURIComponent(url)}`
  return [
    ...tags.flatMap(([name, content]) =>
      content === null ? [] : `<meta ${nameOf(name)}="${name}" content="${escapeHtml(content)}">\n`
    ),
    `<link rel="alternate" type="application/json+oembed" href="${escapeHtml(oEmbedUrl)}" title="${escapeHtml(titleOf(recording))}">\n`
  ].join("")
}

const nameOf = (tag: string): string => (tag.startsWith("og:") ? "property" : "name")

const shortened = (text: string): string => {
  const characters = Array.from(text)
  return characters.length > maxShownText ? `${characters.slice(0, maxShownText).join("")}…` : text
}

const maxAddress = 2_000

/** Size of the frame unless the service that asks has less space. */
const [frameWidth, aspectRatio] = [960, 16 / 9]

const sizeIn = (search: EndpointRequest["search"], name: "maxwidth" | "maxheight") => {
  const written = search[name]
  if (written === undefined) return Effect.succeed(Number.POSITIVE_INFINITY)
  return typeof written === "string" && /^[1-9]\d{0,4}$/.test(written)
    ? Effect.succeed(Number(written))
    : Effect.fail(new BadRequest({ message: `${name} must be an integer from 1 to 99999` }))
}

/** Returns the path of a recording's page and the moment in an address, which is an address of this service. */
const pageAt = (written: string | ReadonlyArray<string> | undefined, publicUrl: string) => {
  if (typeof written !== "string" || written === "" || written.length > maxAddress || !URL.canParse(written)) {
    const message = `url must be one address of a recording's page, of at most ${maxAddress} characters`
    return Effect.fail(new BadRequest({ message }))
  }
  const { origin, pathname, searchParams } = new URL(written)
  const pages = new URL(`${publicUrl}/r/`)
  return origin === pages.origin && pathname.startsWith(pages.pathname)
    ? Effect.succeed({
        uuid: pathname.slice(pages.pathname.length).replace(/\/embed$/, ""),
        moment: searchParams.get("t")
      })
    : Effect.fail(notFound)
}

const notFound = new NotFound({ what: "Recording" })

/** The frame of docs/embedding.md, for services whose pages may embed it. */
const frameOf = (recording: Recording, publicUrl: string, moment: string | null, width: number) => {
  const { url } = recordingLinks(publicUrl, recording.uuid)
  const src = `${url}/embed${moment === null ? "" : `?t=${encodeURIComponent(moment)}`}`
  const height = Math.max(1, Math.round(width / aspectRatio))
  const title = escapeHtml(titleOf(recording))
  const html = `<iframe src="${escapeHtml(src)}" title="${title}" width="${width}" height="${height}" allow="autoplay; fullscreen" frameborder="0"></iframe>`
  return { type: "video", html, width, height }
}

/**
 * GET /oembed (https://oembed.com): the frame of a recording whose account allows previews. Any other recording is not found, as an
 * unknown one. It counts no view.
 */
export const oEmbed: Endpoint<PublicServices> = {
  methods: ["GET"],
  path: "/oembed",
  operation: null,
  rules: { 400: "T6", 404: "T6" },
  answer: Effect.fnUntraced(function* ({ search }) {
    const { publicUrl, vendor } = yield* ServiceConfig
    const { uuid, moment } = yield* pageAt(search.url, publicUrl)
    const maxWidth = yield* sizeIn(search, "maxwidth")
    const maxHeight = yield* sizeIn(search, "maxheight")
    if (search.format !== undefined && search.format !== "json") {
      return HttpServerResponse.setStatus(jsonText(JSON.stringify({ error: "format must be json" })), 501)
    }
    const { publicView } = yield* RecordingContent
    const view = yield* partInTurn(publicView(uuid, { part: "page", caller: null, count: false }))
    if (!view.hasLinkPreview) return yield* notFound
    const width = Math.max(1, Math.floor(Math.min(frameWidth, maxWidth, maxHeight * aspectRatio)))
    const content =
      view.embedOrigins.length === 0 ? { type: "link" } : frameOf(view.recording, publicUrl, moment, width)
    const common = { version: "1.0", title: titleOf(view.recording), provider_name: vendor, provider_url: publicUrl }
    return HttpServerResponse.setHeader(
      jsonText(JSON.stringify({ ...common, ...content })),
      "cache-control",
      "no-cache"
    )
  })
}
