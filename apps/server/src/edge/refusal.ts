import { randomUUID } from "node:crypto"
import { type RawRefusal, rawRefusal } from "@tapedeck/http"

/** The answer to what never became a request of the app. */
export const refusalText = (refusal: RawRefusal): string =>
  rawRefusal(refusal, { requestId: randomUUID(), date: new Date().toUTCString() })
