import * as Result from "effect/Result"
import { parseTemplate } from "./parse.ts"
import { defaultVariables, describeVariable, type TemplateVariable } from "./variables.ts"

/** Every variable of the default payload at its path, a string in quotes: `{"event": "{{event}}", "recording": {"duration": {{recording.duration}}}}`. */
const written = (indent: number): string => {
  const payload: Record<string, string | Record<string, string>> = {}
  for (const name of defaultVariables) {
    const [subject = name, key] = name.split(".")
    if (key === undefined) payload[subject] = `{{${name}}}`
    else payload[subject] = { ...(payload[subject] as Record<string, string>), [key]: `{{${name}}}` }
  }
  return JSON.stringify(payload, null, indent).replace(/"\{\{([\w.]+)\}\}"/g, (quoted, name: TemplateVariable) =>
    describeVariable(name).type === "string" ? quoted : `{{${name}}}`
  )
}

/**
 * The body of a folder automation without a custom payload. Every key is present, in a fixed order: a missing string is `""`, a
 * missing duration null.
 */
export const defaultTemplate = Result.getOrThrow(parseTemplate(written(0), defaultVariables))

/** The text of the default template, indented for people. */
export const defaultTemplateText: string = written(2)
