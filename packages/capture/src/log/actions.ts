import { Element, elementOf, page, quietly } from "../intrinsics.ts"
import { cut } from "../text.ts"
import type { Recording } from "./recording.ts"

const maxName = 200

const interactive = "a[href],button,input,select,textarea,summary,label,option,[role],[contenteditable]"

/** Roles by element, and by an input's type where it is not `textbox`. */
const roles: Readonly<Record<string, string>> = {
  a: "link",
  select: "combobox",
  textarea: "textbox",
  summary: "button",
  submit: "button",
  reset: "button",
  image: "button",
  range: "slider",
  search: "searchbox",
  number: "spinbutton"
}

const sameName = /^(?:button|label|option|checkbox|radio|file)$/

/** Roles whose name is their text. */
const namedByText = /^(?:button|link|option|label|tab|menuitem\w*|checkbox|radio|switch|treeitem|(?:grid)?cell)$/

/** Keys that type no text. */
const namedKeys = /^(?:Enter|Escape|Tab|Arrow\w+)$/

/** Records clicks, inputs and keys by role and accessible name, without typed text. */
export const recordActions = ({ add, isMasked, patches }: Recording) => {
  let typedInto: unknown = null
  patches.listen(window, "click", Event, (event) => {
    const target = targetOf(event, isMasked)
    if (target !== undefined) add({ kind: "click", target })
  })
  patches.listen(window, "input", Event, (event) => {
    const [element] = event.composedPath()
    // Typing into one element is one event, until another element gets input.
    if (element === typedInto) return
    typedInto = element
    const target = targetOf(event, isMasked)
    if (target !== undefined) add({ kind: "input", target })
  })
  patches.listen(window, "change", Event, () => {
    typedInto = null
  })
  patches.listen(window, "keydown", KeyboardEvent, (event) => {
    if (event.repeat || !namedKeys.test(event.key)) return
    const target = targetOf(event, isMasked)
    if (target !== undefined) add({ kind: "key", target: `${event.key}: ${target}` })
  })
}

/** Returns the target of an event, even inside open shadow roots. */
const targetOf = (event: Event, isMasked: Recording["isMasked"]): string | undefined => {
  const [target] = event.composedPath() as [Element]
  const element = elementOf(target)
  if (element === null) return undefined
  const closest = element.closest(interactive) ?? target
  const shown = elementOf(closest)!
  // The mask may be around the element, or around its label.
  if (isMasked(closest)) return selectorOf(shown)
  const role = roleOf(shown)
  const name = cut(nameOf(closest, role, isMasked).replace(/\s+/g, " ").trim(), maxName)
  return role === null || name === "" ? selectorOf(shown) : `${role} "${name}"`
}

const isInput = (element: Element): element is HTMLInputElement => element.localName === "input"

const roleOf = (element: HTMLElement): string | null => {
  const given = element.getAttribute("role")
  if (given) return given
  const name = isInput(element) ? element.type : element.localName
  if (sameName.test(name)) return name
  // Elements of SVG do not say it.
  const isEditable = isInput(element) || quietly(() => element.isContentEditable)
  return roles[name] ?? (isEditable ? "textbox" : null)
}

const nameOf = (shown: Element, role: string | null, isMasked: Recording["isMasked"]): string => {
  const element = elementOf(shown)!
  const by =
    element
      .getAttribute("aria-labelledby")
      ?.split(/\s+/)
      .map((id) => page().getElementById(id)) ?? []
  const [label] = (element as HTMLInputElement).labels ?? []
  const unmasked = (other: Element | null | undefined, text: (other: Element) => string | null) =>
    other && !isMasked(other) ? text(other) : ""
  const given = [
    by.map((other) => unmasked(other, ({ textContent }) => textContent)).join(" "),
    element.getAttribute("aria-label"),
    unmasked(label, () => labelText(label!, shown))
  ].find((text) => text?.trim())
  if (given) return given
  if (isInput(element) && role === "button") return element.value || element.alt
  const attribute = element.getAttribute("title") ?? element.getAttribute("placeholder")
  // The text of a field is what was typed.
  const isText = namedByText.test(role ?? "") && element.querySelector("textarea,[contenteditable]") === null
  const image = element.querySelector("img[alt]")?.getAttribute("alt")
  return (isText && (element.textContent?.trim() || image)) || attribute || ""
}

/** Returns the text of a label without that of the field inside it. */
const labelText = (label: Element, field: Element): string =>
  [...label.childNodes]
    .filter(
      (node) => !node.contains(field) && !(node instanceof Element && node.matches("textarea,select,[contenteditable]"))
    )
    .map(({ textContent }) => textContent ?? "")
    .join(" ")

const selectorOf = ({ classList, id, localName }: Element): string =>
  [id ? `${localName}#${id}` : localName, ...classList].slice(0, 3).join(".")
