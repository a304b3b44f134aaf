/** Everything of `@tapedeck/signing`, for receivers that tell its errors and events apart: `@tapedeck/client/signing`. */
export * from "@tapedeck/signing"
