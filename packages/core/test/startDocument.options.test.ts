import { describe, it } from "vitest"
import type { StartDocumentOptions } from "../src/startDocument/context.ts"
import { folders, helpdesk, refuses, video } from "./startDocumentRefusals.ts"

describe("what depends on where the document is loaded", () => {
  const server: StartDocumentOptions = { vendor: "Tapedeck", allowHttp: false }

  it("a server has no sinks, and webhooks by HTTPS only", async () => {
    await refuses([{ sinks: [] }, "sinks: only the emulator has sinks"], server)
    await refuses(
      [
        { folders, automations: [{ folder: "f1", url: "http://localhost/hook" }] },
        "automations[0].url: must begin with https://"
      ],
      server
    )
    await refuses(
      [{ folders, automations: [{ folder: "f1", url: "sink:crm" }] }, "automations[0].url: no such sink crm"],
      server
    )
  })

  it("plain HTTP may be for some receivers only", async () => {
    const options = { ...server, allowHttp: (url: string) => url.startsWith("http://localhost") }
    const urls = ["http://localhost:1/hook", "http://crm.test/hook", "https://crm.test/hook"]
    await refuses(
      [
        { folders, automations: urls.map((url) => ({ folder: "f1", url })) },
        "automations[1].url: must begin with https:// (http:// is for receivers on loopback and in allow_receivers)"
      ],
      options
    )
  })

  it("the vendor word is the own app's platform, and names a header that is refused", async () => {
    await refuses(
      [
        {
          ...helpdesk({ platform: "tapedeck" }),
          folders,
          automations: [
            {
              folder: "f1",
              url: "https://a.test",
              headers: { "x-birdseye-signature": "x", "X-Tapedeck-Signature": "x" }
            }
          ]
        },
        "recordings[0].helpdesk.platform: must be one of zendesk, intercom, freshdesk, freshdesk_chat, freshservice, helpscout, hubspot, jira, birdseye",
        "automations[0].headers.x-birdseye-signature: is set by the service and cannot be a custom header"
      ],
      { ...server, vendor: "Birdseye" }
    )
    await refuses([helpdesk({ platform: "birdseye" })], { ...server, vendor: "Birdseye" })
  })

  it("a file that cannot be read", async () => {
    const readFile = () => {
      throw new Error("ENOENT: no such file")
    }
    await refuses(
      [video({ path: "clip.webm" }), "recordings[0].video.original.path: cannot be read: ENOENT: no such file"],
      { ...server, readFile }
    )
  })

  it("config is the world's, and comes before the document is loaded", async () => {
    await refuses([{ config: { page_size: 3 } }, "config: can only be set when a world starts"])
  })
})
