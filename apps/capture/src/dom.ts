type Child = Node | string | null | false

type Properties<Name extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[Name], "style" | "children" | "dataset" | "attributes">
> & { readonly attributes?: Readonly<Record<string, string>> }

/** Makes an element. Texts become text nodes, so nothing in them is markup. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  { attributes = {}, ...properties }: Properties<Name> = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name)
  Object.assign(made, properties)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children.filter((child) => child !== null && child !== false))
  return made
}

export const button = (label: string, onclick: () => void, isMain = false): HTMLButtonElement =>
  element("button", { type: "button", className: isMain ? "main" : "", onclick }, label)

/** A labelled input of a form. */
export const fieldOf = (label: string, input: HTMLElement, hint: string): HTMLLabelElement =>
  element("label", {}, element("span", {}, label, " ", element("small", {}, hint)), input)

/** `0:07`, `12:30`. */
export const clock = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}
