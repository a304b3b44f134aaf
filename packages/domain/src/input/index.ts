/**
 * Inputs of operations and start documents: their fields, their decoding, and the problems of refused values. Internal to the packages
 * of Tapedeck: any release may change it.
 */

export * from "../capture/captureInput.ts"
export * from "../capture/captureLinkInput.ts"
export * from "../capture/siteInput.ts"
export * from "../delivery/redeliveryInput.ts"
export * from "../files/trimInput.ts"
export * from "../people/accountInput.ts"
export * from "../people/signInInput.ts"
export * from "../people/tokenInput.ts"
export * from "../people/userInput.ts"
export * from "../receivers/receiverInput.ts"
export * from "../recordings/folderInput.ts"
export * from "../recordings/recordingInput.ts"
export * from "../recordings/roomInsightsInput.ts"
export * from "../recordings/sharingInput.ts"
export * from "../transcript/transcriptInput.ts"
export * from "./decodeInput.ts"
export * from "./fields.ts"
export * from "./lenient.ts"
export * from "./problems.ts"
