import type { HttpServerRequest } from "effect/http"

/**
 * Parts of the names of programs that fetch a page to show a preview of it, in lower case. Others are known by the address of
 * their description (`+https://…`), which no browser sends. Signal and some others call themselves WhatsApp.
 */
const robots = [
  "slackbot",
  "slack-imgproxy",
  "skypeuripreview",
  "whatsapp/",
  "telegrambot",
  "discordbot",
  "facebookexternalhit",
  "facebookcatalog",
  "meta-externalagent",
  "meta-externalfetcher",
  "facebot",
  "twitterbot",
  "linkedinbot",
  "googlebot",
  "google-pagerenderer",
  "google-read-aloud",
  "bingbot",
  "bingpreview",
  "applebot",
  "pinterestbot",
  "redditbot",
  "mattermost-bot",
  "rocket.chat",
  "zulipurlpreview",
  "synapse (bot",
  "mastodon/",
  "iframely",
  "embedly",
  "intercombot",
  "notionembedder",
  "vkshare",
  "yandexbot",
  "snap url preview",
  "bitlybot"
]

/**
 * Returns whether the answer is shown to no person: the request is of a preview robot of a messenger or a search engine, or of a browser
 * that prefetches. Such a request is answered as any other, but not counted as a view.
 */
export const isPreview = ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">): boolean => {
  const purpose = `${headers["sec-purpose"] ?? ""} ${headers.purpose ?? ""} ${headers["x-purpose"] ?? ""} ${headers["x-moz"] ?? ""}`
  if (/prefetch|prerender|preview/i.test(purpose)) return true
  const agent = (headers["user-agent"] ?? "").toLowerCase()
  return agent.includes("+http") || robots.some((name) => agent.includes(name))
}
