import { HttpApi, OpenApi } from "effect/http-api"
import { Invitations } from "./begin.ts"
import { CaptureCalls, Pairings } from "./captures.ts"

/** The capture API, under `/api/capture`, for the recorder and `capture.js`. Videos are uploaded by tus 1.0.0. */
export class Api extends HttpApi.make("tapedeck-capture")
  .add(Invitations, CaptureCalls, Pairings)
  .prefix("/api/capture")
  .annotateMerge(
    OpenApi.annotations({
      title: "Capture API",
      version: "1.0.0",
      summary: "Making of recordings: start a capture, send its log and its video, finish it.",
      license: { name: "MIT", identifier: "MIT" }
    })
  ) {}
