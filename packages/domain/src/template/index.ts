/** JSON templates with `{{variables}}` of any kind: what parses always renders to valid JSON. */
export type { Json } from "../json.ts"
export { MAX_ARRAYS_BYTES } from "./errorArrays.ts"
export { describeFilter, type TemplateFilter, templateFilters } from "./filters.ts"
export type { Placeholder } from "./Placeholder.ts"
export { MAX_TEMPLATE_LENGTH, parseTemplate, type TemplateError } from "./parse.ts"
export { MAX_BODY_BYTES, renderTemplate, type Template, variablesOf } from "./Template.ts"
