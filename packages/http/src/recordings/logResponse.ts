import type { LogText } from "@tapedeck/core"
import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { holding } from "../pipeline/unsentAnswers.ts"

/** A log that is written as the client reads it. What it holds in memory meanwhile is counted as an answer's bytes are. */
export const logResponse = (
  { sizeBytes, text }: LogText,
  options: { readonly contentType: string; readonly headers?: Readonly<Record<string, string>> }
): HttpServerResponse.HttpServerResponse =>
  holding(HttpServerResponse.stream(Stream.encodeText(text), options), sizeBytes)
