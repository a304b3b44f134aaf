import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import { EditorView } from "@codemirror/view"
import { tags } from "@lezer/highlight"

const colour = (name: string) => `var(--color-${name})`

/** The console's colours, in both themes. */
export const codeTheme = [
  EditorView.theme({
    "&": { backgroundColor: colour("surface"), color: colour("ink"), fontSize: "0.75rem", height: "100%" },
    ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.25rem" },
    ".cm-gutters": {
      backgroundColor: colour("sunken"),
      color: colour("faint"),
      borderRight: `1px solid ${colour("line")}`
    },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: colour("sunken") },
    ".cm-cursor": { borderLeftColor: colour("ink") },
    "&.cm-focused": { outline: `2px solid ${colour("accent")}`, outlineOffset: "-2px" },
    ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
      backgroundColor: "light-dark(#d9d6fb, #3d3990)"
    },
    ".cm-placeholder-variable": {
      backgroundColor: colour("accent-soft"),
      color: colour("accent"),
      borderRadius: "3px",
      fontWeight: "600"
    },
    ".cm-placeholder-variable *": { color: "inherit" },
    ".cm-tooltip": {
      backgroundColor: colour("raised"),
      color: colour("ink"),
      border: `1px solid ${colour("line")}`,
      borderRadius: "6px",
      boxShadow: "var(--shadow-pop)"
    },
    ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", maxHeight: "16rem" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
      backgroundColor: colour("accent-strong"),
      color: "#fff"
    },
    ".cm-completionDetail": { fontFamily: "var(--font-sans)", fontStyle: "normal", opacity: "0.85" },
    ".cm-completionInfo": { fontFamily: "var(--font-sans)" },
    ".cm-line-problem": {
      marginLeft: "1rem",
      padding: "0 4px",
      borderRadius: "3px",
      backgroundColor: colour("bad-soft"),
      color: colour("bad"),
      fontFamily: "var(--font-sans)"
    },
    ".cm-diagnostic": { fontFamily: "var(--font-sans)" },
    ".cm-insertedLine, &.cm-merge-b .cm-changedLine": { backgroundColor: colour("good-soft") },
    ".cm-deletedChunk": { backgroundColor: colour("bad-soft") },
    ".cm-deletedChunk .cm-deletedText, .cm-deletedText": { background: "none", textDecoration: "line-through" },
    "&.cm-merge-b .cm-changedText, .cm-changedText": { background: "none", fontWeight: "600" }
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.propertyName, color: colour("info") },
      { tag: tags.string, color: colour("good") },
      { tag: [tags.number, tags.bool, tags.null], color: colour("warn") },
      { tag: [tags.punctuation, tags.separator, tags.brace, tags.squareBracket], color: colour("soft") }
    ])
  )
]
