import { page } from "../intrinsics.ts"

/** Styles of the button. Each declaration is important, which in a shadow root overrides important ones of the page. */
const style = `
:host{all:initial!important;position:fixed!important;right:16px!important;bottom:16px!important;z-index:2147483647!important}
@media print{:host{display:none!important}}
button{font:600 14px/20px system-ui;padding:10px 16px;border:0;border-radius:20px;background:#4338ca;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid}
button[data-recording]{background:#b3261e}
`

/** A button in a shadow root, which styles of the page do not affect. */
export class RecordButton {
  readonly #host = page().createElement("tapedeck-button")
  readonly #button = page().createElement("button")
  readonly #label: string

  constructor(label: string, onClick: () => void) {
    this.#label = label
    const root = this.#host.attachShadow({ mode: "open" })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
    root.adoptedStyleSheets = [sheet]
    this.#button.type = "button"
    this.#button.addEventListener("click", onClick)
    root.append(this.#button)
    this.setRecording(false)
    page().body.append(this.#host)
  }

  setRecording(isRecording: boolean) {
    this.#button.textContent = isRecording ? "Recording" : this.#label
    this.#button.toggleAttribute("data-recording", isRecording)
  }

  remove() {
    this.#host.remove()
  }
}
