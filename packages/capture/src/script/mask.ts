import { CSS, elementOf, page } from "../intrinsics.ts"
import { liesIn } from "../log/masked.ts"

/** What is blurred on every site while it is recorded. */
const always = [
  "[data-tapedeck-mask]",
  ".sentry-mask",
  ".ph-no-capture",
  "[data-hj-suppress]",
  "input[type=password]",
  "input[autocomplete^=cc-]"
]

/** By the size of its text: larger letters need more to be unreadable. */
const blur = "{filter:blur(max(8px,.8em))!important}"

/** Blurs parts of the page by a style sheet of its own, which the page's policy and styles leave alone. */
export class Mask {
  readonly #sheet = new CSSStyleSheet()
  #selector = ""

  constructor() {
    this.setSelectors([])
  }

  /** The site's selectors, besides those of every site. An invalid one is left out. */
  setSelectors(selectors: ReadonlyArray<string>) {
    const valid = [...always, ...selectors].filter((selector) => CSS.supports(`selector(${selector})`))
    this.#selector = valid.join()
    this.#sheet.replaceSync(`:is(${this.#selector})${blur}`)
  }

  /** Whether an element is masked, lies in a masked one, or holds one. */
  covers(element: Element): boolean {
    return liesIn(element, this.#selector) || elementOf(element)!.querySelector(this.#selector) !== null
  }

  show(isShown: boolean) {
    const view = page()
    const others = view.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet)
    view.adoptedStyleSheets = isShown ? [...others, this.#sheet] : others
  }
}
