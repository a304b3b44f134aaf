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
 * Whether nobody sees what is answered: a preview robot of a messenger or a search engine, or a browser that fetches ahead. Such a
 * request is answered as any other, and is no view.
 */
export const isPreview = ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">): boolean => {
  const purpose = `${headers["sec-purpose"] ?? ""} ${headers.purpose ?? ""} ${headers["x-purpose"] ?? ""} ${headers["x-moz"] ?? ""}`
  if (/prefetch|prerender|preview/i.test(purpose)) return true
  const agent = (headers["user-agent"] ?? "").toLowerCase()
  return agent.includes("+http") || robots.some((name) => agent.includes(name))
}
