import type { Finish, LinkView, Session, SessionState, Sources } from "@tapedeck/capture"
import { abilities } from "@tapedeck/capture"
import type { AgentFields } from "./agentFields.ts"
import { button, clock, element, fieldOf } from "./dom.ts"
import type { Texts } from "./texts.ts"

/** Content of a screen below its heading. */
export type Content = ReadonlyArray<Node | false>

type SourceName = keyof Sources

const sourceNames: ReadonlyArray<SourceName> = ["screen", "microphone", "camera"]

export const actions = (...children: ReadonlyArray<Node | false>): HTMLElement =>
  element("div", { className: "actions" }, ...children)

export const status = (text = ""): HTMLElement => element("p", { attributes: { role: "status" } }, text)

export const problemText = (text: string): HTMLElement =>
  element("p", { className: "problem", attributes: { role: "alert" } }, text)

/** Why a recording is wanted, and the choice of what is recorded. */
export const requestScreen = (
  link: LinkView,
  texts: Texts,
  {
    chosen,
    hasPage,
    onChoose,
    onFile,
    problem
  }: {
    readonly problem: string | undefined
    /** Previously chosen sources; undefined for none. */
    readonly chosen: Sources | undefined
    /** Whether a page can add its log. */
    readonly hasPage: boolean
    readonly onChoose: (sources: Sources, isLogging: boolean) => void
    readonly onFile: (file: File) => void
  }
): Content => {
  const able = abilities()
  const offered = sourceNames.filter((name) => able[name] && link.sources[name] !== "off")
  const boxes = offered.map((name) => sourceBox(name, { link, offered, texts, chosen }))
  const logs = hasPage ? checkBox("logs", texts.logs, texts.logsReason, { isChecked: true, isRequired: false }) : null
  const choose = () => {
    const isChosen = (name: SourceName) => boxes.find((box) => box.name === name)?.input.checked ?? false
    const sources = { screen: isChosen("screen"), microphone: isChosen("microphone"), camera: isChosen("camera") }
    onChoose(sources, logs?.input.checked === true)
  }
  const canRecord = able.recorder && offered.some((name) => name !== "microphone")
  const isScreenMissing = !able.screen && link.sources.screen !== "off"
  const note = !able.recorder ? texts.noRecorder : isScreenMissing ? texts.noScreen : null
  const minutes = Math.max(1, Math.round(link.max_duration_seconds / 60))
  return [
    link.title !== null && element("p", { className: "request" }, link.title),
    link.message !== null && element("p", { className: "message" }, link.message),
    element("p", {}, `${texts.what} ${texts.maximum(minutes)}`),
    problem !== undefined && problemText(problem),
    note !== null && element("p", {}, note),
    canRecord &&
      element(
        "fieldset",
        {},
        element("legend", {}, texts.sourcesTitle),
        ...boxes.map(({ label }) => label),
        logs?.label ?? null
      ),
    canRecord && actions(button(texts.choose, choose, true)),
    note !== null && fileForm(texts, onFile)
  ]
}

const sourceBox = (
  name: SourceName,
  {
    chosen,
    link,
    offered,
    texts
  }: {
    readonly link: LinkView
    readonly offered: ReadonlyArray<SourceName>
    readonly texts: Texts
    readonly chosen: Sources | undefined
  }
) => {
  const isRequired = link.sources[name] === "required"
  const isAlone = name === "camera" && !offered.includes("screen")
  const title = `${texts.sources[name]}${isRequired ? ` (${texts.required})` : ""}`
  const isChecked = isRequired || (chosen?.[name] ?? (name !== "camera" || isAlone))
  return checkBox(name, title, isAlone ? texts.cameraAlone : texts.reasons[name], { isChecked, isRequired })
}

const checkBox = <Name extends string>(
  name: Name,
  title: string,
  hint: string,
  { isChecked, isRequired }: { readonly isChecked: boolean; readonly isRequired: boolean }
) => {
  const input = element("input", { type: "checkbox", name, checked: isChecked, disabled: isRequired })
  const text = element("span", {}, element("b", {}, title), element("small", {}, hint))
  return { name, input, label: element("label", { className: "source" }, input, text) }
}

const fileForm = (texts: Texts, onFile: (file: File) => void): HTMLElement => {
  const input = element("input", { type: "file", accept: "video/*", required: true })
  const submit = (event: Event) => {
    event.preventDefault()
    const [file] = input.files ?? []
    if (file !== undefined) onFile(file)
  }
  return element(
    "form",
    { onsubmit: submit },
    element("label", {}, texts.file, input),
    actions(element("button", { type: "submit" }, texts.sendFile))
  )
}

/** Times, buttons, and whether the server gets it. `update` is called with each change of the session. */
export const recordingScreen = (
  session: Session,
  texts: Texts,
  {
    hasMicrophone,
    nextMark
  }: {
    readonly hasMicrophone: boolean
    /** The number of the next mark of the recording, parts before this one included. */
    readonly nextMark: () => number
  }
) => {
  const { elapsedMs, maxMs } = session.current
  const elapsed = element("output", {}, clock(elapsedMs))
  const left = element("output", {}, clock(maxMs - elapsedMs))
  const message = status(texts.saved)
  let isConnected = true
  const pause = button(texts.pause, () => (session.current.phase === "paused" ? session.unpause() : session.pause()))
  const mute = button(texts.mute, () => session.setMuted(!session.current.isMuted))
  const mark = () => {
    const text = texts.marked(nextMark(), clock(session.current.elapsedMs))
    session.mark(text)
    write(message, text)
  }
  const time = (label: string, value: Node) => element("div", {}, element("dt", {}, label), element("dd", {}, value))
  const content: Content = [
    element("dl", { className: "times" }, time(texts.elapsed, elapsed), time(texts.left, left)),
    actions(
      button(texts.stop, () => session.stop(), true),
      pause,
      button(texts.mark, mark),
      hasMicrophone && mute
    ),
    element("p", {}, texts.keepOpen),
    message
  ]
  const update = (state: SessionState) => {
    const isPaused = state.phase === "paused"
    write(elapsed, clock(state.elapsedMs))
    write(left, clock(state.maxMs - state.elapsedMs))
    write(pause, isPaused ? texts.unpause : texts.pause)
    write(mute, state.isMuted ? texts.unmute : texts.mute)
    // The note of a mark stays until the connection changes.
    if (state.isConnected === isConnected) return
    isConnected = state.isConnected
    write(message, isConnected ? texts.saved : texts.waiting)
  }
  return { content, update }
}

/** Writes a text where it changed: screen readers read each write of a live region. */
export const write = (node: HTMLElement, text: string) => {
  if (node.textContent !== text) node.textContent = text
}

/** A video of a part, at its object URL. */
export interface ShownVideo {
  readonly url: string
  readonly type: string
}

/** The recording, to look at, with what the person adds. A recording that the server refuses can be saved as a file. */
export const reviewScreen = (
  texts: Texts,
  {
    onDiscard,
    onMore,
    problem,
    videos,
    ...form
  }: FinishForm & {
    readonly videos: ReadonlyArray<ShownVideo>
    readonly problem: SessionState["problem"]
    readonly onMore: () => void
    readonly onDiscard: () => void
  }
): Content => {
  const players = videos.map(({ url }, index) =>
    element("video", {
      src: url,
      controls: true,
      playsInline: true,
      attributes: { "aria-label": texts.video(index + 1, videos.length) }
    })
  )
  const alert = problem === null ? [] : [problemText(texts.problems[problem])]
  if (problem === "revoked") {
    const files = videos.map(({ type, url }, index) =>
      element(
        "a",
        { href: url, download: `recording-${index + 1}.${type.includes("mp4") ? "mp4" : "webm"}` },
        texts.save
      )
    )
    return [...alert, ...players, actions(...files, button(texts.discard, onDiscard))]
  }
  const buttons = actions(
    element("button", { type: "submit", className: "main" }, texts.send),
    problem === null && button(texts.more, onMore),
    button(texts.discard, onDiscard)
  )
  return [...alert, ...players, finishForm(texts, form, buttons)]
}

interface FinishForm {
  readonly link: LinkView
  /** Values that the fields begin with, beside those of the link. */
  readonly draft: Finish
  /** Fields of an agent; null for a customer. */
  readonly agent: ReturnType<AgentFields> | null
  readonly onSend: (fields: Finish) => void
}

const finishForm = (texts: Texts, { agent, draft, link, onSend }: FinishForm, buttons: HTMLElement) => {
  const { customer, note: written = "", title: named = link.title ?? "" } = draft
  const title = element("input", { name: "title", maxLength: 255, value: named, autocomplete: "off" })
  const note = element("textarea", { name: "note", maxLength: 2_000, rows: 3, value: written })
  const email = element("input", {
    name: "email",
    type: "email",
    maxLength: 254,
    value: customer?.email ?? "",
    autocomplete: agent === null ? "email" : "off"
  })
  const field = (label: string, input: HTMLElement) => fieldOf(label, input, texts.optional)
  const send = (event: Event) => {
    event.preventDefault()
    const given = { title: title.value.trim(), note: note.value.trim(), email: email.value.trim() }
    onSend({
      ...(given.title !== "" && { title: given.title }),
      ...(given.note !== "" && { note: given.note }),
      ...(given.email !== "" && { customer: { email: given.email } }),
      ...agent?.values()
    })
  }
  return element(
    "form",
    { onsubmit: send },
    field(texts.title, title),
    ...(link.has_customer ? [] : [field(agent === null ? texts.email : texts.customerEmail, email)]),
    ...(agent?.fields ?? []),
    field(texts.note, note),
    buttons
  )
}
