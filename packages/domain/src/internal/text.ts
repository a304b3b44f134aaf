/** JSON and text: reading, limits, suggestions. Internal to the packages of Tapedeck: any release may change it. */

export { isJson, MAX_JSON_DEPTH } from "../json.ts"
export { type JsonProblem, NOT_JSON, readJson } from "../readJson.ts"
export { isStorableText, UNSTORABLE_TEXT, unstorableTextPaths } from "../storableText.ts"
export { suggest } from "../suggest.ts"
export { utf8Length } from "../utf8.ts"
