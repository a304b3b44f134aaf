import { type Range, StateField, type Text } from "@codemirror/state"
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view"
import { readTemplate } from "./preview.ts"

/** Maximum number of lines that show their errors, because the document has an element for each. */
const maxLines = 100

/** The errors of a line. Screen readers have them below the editor. */
class Problem extends WidgetType {
  private readonly text: string

  constructor(text: string) {
    super()
    this.text = text
  }

  override eq(other: Problem): boolean {
    return other.text === this.text
  }

  override toDOM(): HTMLElement {
    const shown = document.createElement("span")
    shown.className = "cm-line-problem"
    shown.ariaHidden = "true"
    shown.textContent = this.text
    return shown
  }
}

const problemsOf = (doc: Text): DecorationSet => {
  const byLine = new Map<number, Array<string>>()
  for (const { line, message } of readTemplate(doc.toString()).errors ?? []) {
    const messages = byLine.get(line) ?? []
    if (byLine.size >= maxLines && messages.length === 0) break
    byLine.set(line, [...messages, message])
  }
  const marks = [...byLine].map(
    ([line, messages]): Range<Decoration> =>
      Decoration.widget({ widget: new Problem(messages.slice(0, 3).join("; ")), side: 1 }).range(
        doc.line(Math.min(line, doc.lines)).to
      )
  )
  return Decoration.set(marks, true)
}

/** Shows the errors of a payload at the end of their lines, by the parser that the service uses. */
export const lineProblems = StateField.define<DecorationSet>({
  create: ({ doc }) => problemsOf(doc),
  update: (shown, { docChanged, state }) => (docChanged ? problemsOf(state.doc) : shown),
  provide: (field) => EditorView.decorations.from(field)
})
