/**
 * Inputs of operations and start documents: the fields that they are made of, how they are decoded, and what is told about values that
 * are refused. The other packages of Tapedeck share it; it may change with any release.
 */

export * from "../capture/captureInput.ts"
export * from "../capture/captureLinkInput.ts"
export * from "../capture/siteInput.ts"
export * from "../recordings/folderInput.ts"
export * from "../recordings/recordingInput.ts"
export * from "./decodeInput.ts"
export * from "./fields.ts"
export * from "./lenient.ts"
export * from "./problems.ts"
