/** Second file of `capture.js`, which a page loads when a person records. */
export { makeRedactor } from "@tapedeck/domain/capture"
