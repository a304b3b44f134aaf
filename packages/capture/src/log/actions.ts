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

/** Keys that type nothing. */
const namedKeys = /^(?:Enter|Escape|Tab|Arrow\w+)$/

/** Records clicks, inputs and keys by role and accessible name. What was typed is in none. */
export const recordActions = ({ add, isMasked, patches }: Recording) => {
  let typedInto: EventTarget | null = null
  patches.listen(window, "click", (event: MouseEvent) => {
    const element = elementOf(event)
    if (element !== null) add({ kind: "click", target: targetOf(element, isMasked) })
  })
  patches.listen(window, "input", (event: Event) => {
    const element = elementOf(event)
    // One event until another element is typed into.
    if (element === null || element === typedInto) return
    typedInto = element
    add({ kind: "input", target: targetOf(element, isMasked) })
  })
  patches.listen(window, "change", () => {
    typedInto = null
  })
  patches.listen(window, "keydown", (event: KeyboardEvent) => {
    const element = elementOf(event)
    if (element === null || event.repeat || !namedKeys.test(event.key)) return
    add({ kind: "key", target: `${event.key}: ${targetOf(element, isMasked)}` })
  })
}

/** Where an event happened, inside of open shadow roots too. */
const elementOf = (event: Event): Element | null => {
  const [target] = event.composedPath()
  return target instanceof Element ? target : null
}

const targetOf = (element: Element, isMasked: (element: Element) => boolean): string => {
  const shown = element.closest(interactive) ?? element
  if (isMasked(element)) return selectorOf(shown)
  const role = roleOf(shown)
  const name = nameOf(shown, role).replace(/\s+/g, " ").trim().slice(0, maxName)
  return role === null || name === "" ? selectorOf(shown) : `${role} "${name}"`
}

const roleOf = (element: Element): string | null => {
  const given = element.getAttribute("role")
  if (given) return given
  const isInput = element instanceof HTMLInputElement
  const name = isInput ? element.type : element.localName
  if (sameName.test(name)) return name
  const isEditable = isInput || (element as HTMLElement).isContentEditable
  return roles[name] ?? (isEditable ? "textbox" : null)
}

const nameOf = (element: Element, role: string | null): string => {
  const by = element.getAttribute("aria-labelledby")?.split(/\s+/) ?? []
  const [label] = (element as HTMLInputElement).labels ?? []
  const given = [
    by.map((id) => document.getElementById(id)?.textContent).join(" "),
    element.getAttribute("aria-label"),
    label && labelText(label, element)
  ].find((text) => text?.trim())
  if (given) return given
  if (element instanceof HTMLInputElement && role === "button") return element.value || element.alt
  const attribute = element.getAttribute("title") ?? element.getAttribute("placeholder")
  // The text of a field is what was typed.
  const isText = namedByText.test(role ?? "") && element.querySelector("textarea,[contenteditable]") === null
  const image = element.querySelector("img[alt]")?.getAttribute("alt")
  return (isText && (element.textContent?.trim() || image)) || attribute || ""
}

/** The text of a label without that of the field inside of it. */
const labelText = (label: Element, field: Element): string =>
  [...label.childNodes]
    .filter(
      (node) => !node.contains(field) && !(node instanceof Element && node.matches("textarea,select,[contenteditable]"))
    )
    .map(({ textContent }) => textContent ?? "")
    .join(" ")

const selectorOf = ({ classList, id, localName }: Element): string =>
  [id ? `${localName}#${id}` : localName, ...classList].slice(0, 3).join(".")
