export { Api } from "./Api.ts"
export { Invitation, PublicSite, SiteCaptureInput } from "./begin.ts"
export { FinishedCapture, FinishInput, PairedLog, Pairing, PairingInput } from "./captures.ts"
