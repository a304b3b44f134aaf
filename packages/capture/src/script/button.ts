import { page } from "../intrinsics.ts"

/** Each declaration is important: in a shadow root that wins over the page's important ones. */
const style = `
:host{all:initial!important;position:fixed!important;right:16px!important;bottom:16px!important;z-index:2147483647!important}
@media print{:host{display:none!important}}
button{font:600 14px/20px system-ui;padding:10px 16px;border:0;border-radius:20px;background:#4338ca;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid}
button[data-recording]{background:#b3261e}
`

/** A button in a shadow root, which the page's styles do not reach. */
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
