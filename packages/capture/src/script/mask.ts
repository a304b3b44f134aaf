import { CSS, elementOf, page } from "../intrinsics.ts"
import { liesIn } from "../log/masked.ts"

/** Elements that are blurred on every site while it is recorded. */
const always = [
  "[data-tapedeck-mask]",
  ".sentry-mask",
  ".ph-no-capture",
  "[data-hj-suppress]",
  "input[type=password]",
  "input[autocomplete^=cc-]"
]

/** Blur, which depends on the size of the text, because larger letters need more. */
const blur = "{filter:blur(max(8px,.8em))!important}"

/** Blurs parts of the page with a separate style sheet, which policy and styles of the page do not affect. */
export class Mask {
  readonly #sheet = new CSSStyleSheet()
  #selector = ""

  constructor() {
    this.setSelectors([])
  }

  /** Sets the selectors of the site, in addition to those of every site. Invalid ones are ignored. */
  setSelectors(selectors: ReadonlyArray<string>) {
    const valid = [...always, ...selectors].filter((selector) => CSS.supports(`selector(${selector})`))
    this.#selector = valid.join()
    this.#sheet.replaceSync(`:is(${this.#selector})${blur}`)
  }

  /** Returns whether an element is masked, or is inside a masked one, or contains one. */
  covers(element: Element): boolean {
    return liesIn(element, this.#selector) || elementOf(element)!.querySelector(this.#selector) !== null
  }

  show(isShown: boolean) {
    const view = page()
    const others = view.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet)
    view.adoptedStyleSheets = isShown ? [...others, this.#sheet] : others
  }
}
