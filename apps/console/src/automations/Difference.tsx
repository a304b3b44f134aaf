import { json } from "@codemirror/lang-json"
import { unifiedMergeView } from "@codemirror/merge"
import { EditorState } from "@codemirror/state"
import { EditorView, lineNumbers } from "@codemirror/view"
import { useEffect, useRef } from "react"
import { codeTheme } from "./codeTheme.ts"

/** Two texts in one view: the text of `to`, and the parts of `from` that it does not have. */
export const Difference = ({ from, to }: { readonly from: string; readonly to: string }) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const root = place.current?.shadowRoot ?? place.current?.attachShadow({ mode: "open" })
    if (root === undefined) return
    const view = new EditorView({
      root,
      state: EditorState.create({
        doc: to,
        extensions: [
          lineNumbers(),
          json(),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": "Difference", "aria-readonly": "true", tabindex: "0" }),
          unifiedMergeView({
            original: from,
            mergeControls: false,
            gutter: true,
            collapseUnchanged: { margin: 3, minSize: 6 }
          }),
          codeTheme
        ]
      })
    })
    root.append(view.dom)
    return () => view.destroy()
  }, [from, to])
  if (from === to) return <p className="text-soft">There is no difference.</p>
  return <div ref={place} className="h-80 overflow-hidden rounded-md border border-line" />
}
