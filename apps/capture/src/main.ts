import "./capture.css"
import { CaptureApi, Spool } from "@tapedeck/capture"
import { CapturePage } from "./CapturePage.ts"
import { agentInvitation, type Invitation, linkInvitation, siteInvitation } from "./invitations.ts"
import { english } from "./texts.ts"

/** The page's address is `{base}/c/{token}`, `{base}/c/site#{key}`, or `{base}/c/agent`. */
const [, base = "", token = ""] = /^(.*)\/c\/([^/]+)\/?$/.exec(location.pathname) ?? []

const api = new CaptureApi(base)
const key = location.hash.slice(1)
const invitation = async (): Promise<Invitation> => {
  // Customers do not load what only agents see.
  if (token === "agent") return agentInvitation(api, (await import("./agentFields.ts")).agentFields)
  return token === "site" && key !== "" ? siteInvitation(api, key) : linkInvitation(api, token)
}

const page = new CapturePage({
  api,
  container: document.querySelector<HTMLElement>("#capture")!,
  invitation: await invitation(),
  openSpool: () => Spool.open(),
  texts: english
})
void page.open()
