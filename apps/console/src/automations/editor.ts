import { autocompletion, type CompletionContext, closeBrackets, startCompletion } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { json } from "@codemirror/lang-json"
import { bracketMatching, indentOnInput } from "@codemirror/language"
import { type Diagnostic, linter } from "@codemirror/lint"
import { EditorState, type Text } from "@codemirror/state"
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin
} from "@codemirror/view"
import { describeVariable, templateVariables } from "@tapedeck/domain"
import { describeFilter, templateFilters } from "@tapedeck/domain/template"
import { codeTheme } from "./codeTheme.ts"
import { lineProblems } from "./lineProblems.ts"
import { readTemplate } from "./preview.ts"

const placeholders = new MatchDecorator({
  regexp: /\{\{[ \t]*[\w.]+[ \t]*(?:\|[ \t]*\w+[ \t]*)?\}\}/g,
  decoration: Decoration.mark({ class: "cm-placeholder-variable" })
})

const highlightPlaceholders = ViewPlugin.define(
  (view) => ({
    marks: placeholders.createDeco(view),
    update(update) {
      this.marks = placeholders.updateDeco(update, this.marks)
    }
  }),
  { decorations: ({ marks }) => marks }
)

/** Completes filters with their descriptions, after a variable and `|`. */
const completeFilters = (context: CompletionContext) => {
  const open = context.matchBefore(/\{\{[ \t]*[\w.]+[ \t]*\|[ \t]*\w*/)
  if (open === null) return null
  const word = context.matchBefore(/\w*/)
  return {
    from: word?.from ?? context.pos,
    options: templateFilters.map((name) => ({
      label: name,
      detail: describeFilter(name),
      type: "function",
      apply: `${word?.from === context.pos && open.text.endsWith("|") ? " " : ""}${name}${closing(context)}`
    })),
    validFor: /^\w*$/
  }
}

/** Returns the braces that end a placeholder at the cursor, if they are not there yet. */
const closing = ({ pos, state }: CompletionContext): string =>
  /^[ \t]*\}\}/.test(state.sliceDoc(pos, pos + 10)) ? "" : "}}"

/** Completes variables with their descriptions, after `{{` or on request. */
const completeVariables = (context: CompletionContext) => {
  const open = context.matchBefore(/\{\{[ \t]*[\w.]*/)
  if (open === null && !context.explicit) return null
  const word = context.matchBefore(/[\w.]*/)
  const [before, after] = open === null ? ["{{", "}}"] : ["", closing(context)]
  return {
    from: word?.from ?? context.pos,
    options: templateVariables.map((name) => ({
      label: name,
      detail: describeVariable(name).description,
      type: "variable",
      apply: `${before}${name}${after}`
    })),
    validFor: /^[\w.]*$/
  }
}

/** The offset of a line and a column that count code points from 1, as the parser does. */
const offsetOf = (doc: Text, line: number, column: number): number => {
  const { from, text } = doc.line(Math.min(line, doc.lines))
  return from + [...text].slice(0, column - 1).join("").length
}

const parserErrors = linter(
  ({ state }): ReadonlyArray<Diagnostic> =>
    (readTemplate(state.doc.toString()).errors ?? []).map(({ column, line, message }) => {
      const from = Math.min(offsetOf(state.doc, line, column), state.doc.length)
      return { from, to: Math.min(from + 1, state.doc.length), severity: "error", message }
    }),
  { delay: 200 }
)

/**
 * Replaces a selection that is typed over. Chromium would keep its colour in an inline style, which the page's policy refuses and
 * its console reports.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { data, inputType } = event
    const { from, to } = view.state.selection.main
    if (inputType !== "insertText" || data === null || from === to || view.composing) return false
    event.preventDefault()
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true })
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
  compositionstart: (_, view) => {
    if (!view.state.selection.main.empty) view.dispatch(view.state.replaceSelection(""))
    return false
  }
})

interface EditorOptions {
  /** Shadow root of the editor. The style sheets are its own, because the page's policy allows no inline styles. */
  readonly root: ShadowRoot
  readonly text: string
  readonly onChange: (text: string) => void
}

/** Creates an editor of payloads. The Tab key leaves it. */
export const makeEditor = ({ onChange, root, text }: EditorOptions): EditorView => {
  const view = new EditorView({
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        json(),
        highlightPlaceholders,
        autocompletion({
          override: [(context) => completeFilters(context) ?? completeVariables(context)],
          icons: false
        }),
        parserErrors,
        lineProblems,
        typeOverSelection,
        keymap.of([...defaultKeymap, ...historyKeymap, { key: "Mod-i", run: startCompletion }]),
        EditorView.contentAttributes.of({ "aria-label": "Payload", spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
        codeTheme
      ]
    })
  })
  root.append(view.dom)
  return view
}
