import type * as Browser from "@tapedeck/emulator/browser"
import { attemptItem, pendingItem, resultText } from "./attempts.ts"
import { canShowConsole, serveConsole } from "./consoleOf.ts"
import { make } from "./dom.ts"
import { style } from "./style.ts"
import { durationText, instantText } from "./times.ts"
import { type AnswerName, answers, defaultAnswer, type Shown, WebhookWorld } from "./WebhookWorld.ts"

/** The state of the delivery in words. */
const statusText = (shown: Shown): string => {
  const last = shown.attempts.at(-1)
  if (shown.state === null) return "The receiver waits. Add the recording to the folder to send the webhook."
  const result = last === undefined ? "" : resultText(last)
  switch (shown.state) {
    case "delivered":
      return `${result} The webhook is delivered.`
    case "permanently_failed":
      return `${result} The webhook has failed permanently.`
    case "attempting":
      return `${result} The time-out is at ${instantText(shown.nextAt ?? shown.now)}.`
    default:
      return `${result} The next attempt is due in ${durationText(Date.parse(shown.nextAt ?? shown.now) - Date.parse(shown.now))}.`
  }
}

/** Loads the emulator, and shows a world whose webhook fails as long as the reader chooses. */
class EmulatorElement extends HTMLElement {
  readonly #root = this.attachShadow({ mode: "open" })
  readonly #time = make("time")
  readonly #status = make("p", { className: "status", role: "status" })
  readonly #list = make("ol", { ariaLabel: "Attempts" })
  readonly #buttons: Readonly<Record<"add" | "next" | "minute" | "hour" | "idle" | "reset", HTMLButtonElement>> = {
    add: this.#button("Add the recording to the folder", (world) => world.addRecording()),
    next: this.#button("Next attempt", (world) => world.next()),
    minute: this.#button("+ 1 minute", (world) => world.advance("PT1M")),
    hour: this.#button("+ 1 hour", (world) => world.advance("PT1H")),
    idle: this.#button("All retries", (world) => world.untilIdle()),
    reset: this.#button("Start again", (world) => world.reset(this.#answer))
  }
  /** Attempts on display, as JSON, so that an open one stays open. */
  #drawn: ReadonlyArray<string> = []
  #answer: AnswerName = defaultAnswer
  #world: WebhookWorld | undefined
  /** Calls run one after another, in the order of the clicks. */
  #running: Promise<void> = Promise.resolve()

  connectedCallback(): void {
    if (this.#root.childElementCount > 0) return
    this.#status.textContent = "The emulator is loading."
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
    this.#root.adoptedStyleSheets = [sheet]
    this.#root.append(this.#status, make("slot"))
    void this.#start()
  }

  async #start(): Promise<void> {
    try {
      const module: typeof Browser = await import(new URL("emulator.js", import.meta.url).href)
      this.#world = await WebhookWorld.start(module.startEmulator)
    } catch (error) {
      this.#status.textContent = `The emulator could not be loaded: ${(error as Error).message}`
      return
    }
    const { add, ...moves } = this.#buttons
    add.className = "main"
    this.#root.querySelector("slot")?.remove()
    this.#status.before(
      make(
        "div",
        { className: "head" },
        make(
          "div",
          { className: "clock" },
          make("span", { className: "label" }, "Clock of the world (UTC)"),
          this.#time
        ),
        make("div", { className: "buttons" }, add, ...Object.values(moves))
      ),
      this.#choices()
    )
    this.#status.after(this.#list, ...(canShowConsole() ? [this.#consolePart()] : []))
    await this.#draw()
    this.setAttribute("data-ready", "")
  }

  #button(label: string, action: (world: WebhookWorld) => Promise<void>): HTMLButtonElement {
    return make("button", { type: "button", onclick: () => this.#run(action) }, label)
  }

  #choices(): HTMLElement {
    const labels = (Object.keys(answers) as Array<AnswerName>).map((name) =>
      make(
        "label",
        {},
        make("input", {
          type: "radio",
          name: "answer",
          value: name,
          checked: name === defaultAnswer,
          onchange: () => {
            this.#answer = name
            this.#run((world) => world.answer(name))
          }
        }),
        answers[name].label
      )
    )
    return make("fieldset", { className: "receiver" }, make("legend", {}, "The receiver answers:"), ...labels)
  }

  /** The console of the world, which loads when it is first opened. */
  #consolePart(): HTMLElement {
    const part = make("details", { className: "console" }, make("summary", {}, "The console of this world"))
    const open = async () => {
      const world = this.#world
      if (world === undefined) return
      const url = await serveConsole(world.world, () => this.#run(async () => {}))
      part.append(make("iframe", { src: url, title: "Console" }))
    }
    part.addEventListener(
      "toggle",
      () =>
        open().catch((error: Error) => part.append(make("p", {}, `The console could not be loaded: ${error.message}`))),
      { once: true }
    )
    return part
  }

  #run(action: (world: WebhookWorld) => Promise<void>): void {
    const world = this.#world
    if (world === undefined) return
    this.#running = this.#running
      .then(() => action(world))
      .then(() => this.#draw())
      .catch((error: Error) => {
        this.#status.textContent = error.message
      })
  }

  async #draw(): Promise<void> {
    const shown = await this.#world?.read()
    if (shown === undefined) return
    this.#time.textContent = instantText(shown.now)
    this.#time.dateTime = shown.now
    this.#drawAttempts(shown)
    const { add, hour, idle, minute, next, reset } = this.#buttons
    const focused = this.#root.activeElement
    add.disabled = shown.state !== null
    reset.disabled = shown.state === null
    for (const button of [next, minute, hour, idle]) button.disabled = shown.nextAt === null
    next.className = shown.nextAt === null ? "" : "main"
    reset.className = shown.nextAt === null && shown.state !== null ? "main" : ""
    next.textContent = shown.state === "attempting" ? "To the time-out" : "Next attempt"
    // A disabled button has no focus: a keyboard goes on with the next step.
    if (focused instanceof HTMLButtonElement && focused.disabled)
      [next, reset, add].find((each) => !each.disabled)?.focus()
    this.#status.textContent = statusText(shown)
  }

  #drawAttempts(shown: Shown): void {
    const texts = shown.attempts.map((each) => JSON.stringify(each))
    const changed = texts.findIndex((text, index) => text !== this.#drawn[index])
    const kept = changed === -1 ? texts.length : changed
    for (const item of [...this.#list.children].slice(kept)) item.remove()
    this.#list.append(...shown.attempts.slice(kept).map(attemptItem))
    const [first] = shown.attempts
    if (shown.nextAt !== null && shown.state === "waiting" && first !== undefined) {
      this.#list.append(pendingItem(texts.length + 1, Date.parse(shown.nextAt) - Date.parse(first.at)))
    }
    this.#drawn = texts
  }
}

customElements.define("tapedeck-emulator", EmulatorElement)
