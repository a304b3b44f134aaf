import type { LogText } from "@tapedeck/core"
import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { holding } from "../pipeline/unsentAnswers.ts"

/** Answers a log, which is written as the client reads it. The memory that it holds is counted like the bytes of an answer. */
export const logResponse = (
  { sizeBytes, text }: LogText,
  options: { readonly contentType: string; readonly headers?: Readonly<Record<string, string>> }
): HttpServerResponse.HttpServerResponse =>
  holding(HttpServerResponse.stream(Stream.encodeText(text), options), sizeBytes)
