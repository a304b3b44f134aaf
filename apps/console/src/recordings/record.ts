import type { AgentAnswer, AgentBegun, AgentQuestion } from "@tapedeck/capture-page/agentMessages"
import { TapedeckError } from "@tapedeck/client"
import { noteError, tapedeck } from "../api/client.ts"
import { mount, productPath } from "../api/mount.ts"
import type { Me } from "../api/session.tsx"
import { readFolders } from "../folders/queries.ts"

/** Maximum duration of an agent's recording, in seconds. */
const maxDurationSeconds = 1_800

/** Returns the link view of the recorder, which leads back to the library. */
const viewFor = (me: Me) => ({
  title: null,
  message: null,
  account_name: me.account.name,
  requested_by: null,
  has_customer: false,
  sources: { screen: "optional", microphone: "optional", camera: "optional", logs: "off" },
  max_duration_seconds: maxDurationSeconds,
  redirect_url: new URL(`${mount.root}recordings`, location.href).href
})

/** A capture begins without what cannot be read. */
const readable = async (read: () => Promise<AgentBegun>): Promise<AgentBegun> => {
  try {
    return await read()
  } catch (error) {
    noteError(error)
    return {}
  }
}

const linkTo = async (uuid: string) => ({ recording_url: (await tapedeck.settings.recordings.get(uuid)).metadata.url })

const folderNames = async () => ({ folders: (await readFolders()).map(({ id, name }) => ({ id, name })) })

const answerTo = async ({ tapedeck: name }: AgentQuestion, me: Me): Promise<AgentAnswer> => {
  if (name === "view") return { answer: viewFor(me) }
  try {
    const begun = await tapedeck.settings.captures.begin({ max_duration_seconds: maxDurationSeconds })
    const [link, folders] = await Promise.all([readable(() => linkTo(begun.recording_uuid)), readable(folderNames)])
    return { answer: { ...begun, ...link, ...folders } }
  } catch (error) {
    noteError(error)
    const status = error instanceof TapedeckError ? (error.status ?? 500) : 500
    return { status, message: error instanceof Error ? error.message : String(error) }
  }
}

/** The window that was opened last, and the user who opened it. */
let recorder: { readonly window: Window; readonly me: Me } | null = null

const onMessage = ({ data, origin, ports: [port], source }: MessageEvent<Partial<AgentQuestion> | null>) => {
  if (recorder === null || origin !== location.origin || source !== recorder.window || port === undefined) return
  if (data?.tapedeck !== "view" && data?.tapedeck !== "begin") return
  void answerTo({ tapedeck: data.tapedeck }, recorder.me).then((answer) => port.postMessage(answer))
}

/**
 * Opens the recorder in a window of its own, which survives the console, or shows an open one. The window has no session: it asks
 * this tab to start its capture, and records with the capture's token. Returns false if the browser opens no window.
 */
export const openRecorder = (me: Me): boolean => {
  if (recorder !== null && !recorder.window.closed) {
    recorder.window.focus()
    return true
  }
  const opened = window.open(productPath("/c/agent"), "_blank", "popup,width=720,height=760")
  if (opened === null) return false
  if (recorder === null) addEventListener("message", onMessage)
  recorder = { window: opened, me }
  return true
}
