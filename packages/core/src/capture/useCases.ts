import { Layer } from "effect"
import { CaptureSessions } from "./CaptureSessions.ts"
import { CaptureStarts } from "./CaptureStarts.ts"
import { CaptureUploads } from "./CaptureUploads.ts"

/** The captures of recordings, from their start to their end. */
export type CaptureServices = CaptureSessions | CaptureStarts | CaptureUploads

export const captureUseCases = Layer.mergeAll(CaptureSessions.layer, CaptureStarts.layer, CaptureUploads.layer)
