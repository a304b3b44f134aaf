import { HttpApi, OpenApi } from "effect/http-api"
import { Invitations } from "./begin.ts"
import { CaptureCalls, Pairings } from "./captures.ts"

/** The capture API, below `/api/capture`: what the recorder and `capture.js` call. Videos are sent by tus 1.0.0. */
export class Api extends HttpApi.make("tapedeck-capture")
  .add(Invitations, CaptureCalls, Pairings)
  .prefix("/api/capture")
  .annotateMerge(
    OpenApi.annotations({
      title: "Capture API",
      version: "1.0.0",
      summary: "How recordings are made: begin a capture, send its log and its video, finish it.",
      license: { name: "MIT", identifier: "MIT" }
    })
  ) {}
