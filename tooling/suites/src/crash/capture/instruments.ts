/// <reference lib="dom" />
import type { drawing } from "./frames.ts"

/** What a page of the recorder is instrumented with. */
export interface Instruments {
  /** The numbers of the frames that were drawn while the recorder ran. */
  readonly drawn: Array<number>
  /** Whether the browser's disk is full for the page. */
  isFull: boolean
}

export type Instrumented = typeof globalThis & { tapedeck: Instruments }

/**
 * Runs in the page, before its scripts. The screen is a canvas, whose frames have numbers; `startedAt` is number 0, in
 * milliseconds since 1970.
 */
export const instrument = ({ frame, startedAt }: { readonly frame: typeof drawing; readonly startedAt: number }) => {
  const tapedeck: Instruments = { drawn: [], isFull: false }
  Object.assign(globalThis, { tapedeck })
  let isRecording = false
  const { start, stop } = MediaRecorder.prototype
  MediaRecorder.prototype.start = function (...given) {
    start.apply(this, given)
    isRecording = true
  }
  MediaRecorder.prototype.stop = function () {
    isRecording = false
    stop.apply(this)
  }
  const { put } = IDBObjectStore.prototype
  IDBObjectStore.prototype.put = function (...given) {
    if (tapedeck.isFull) throw new DOMException("full", "QuotaExceededError")
    return put.apply(this, given)
  }
  // The recorder counts down without pauses.
  const { setTimeout } = window
  Object.assign(window, {
    setTimeout: (act: TimerHandler, delay?: number) => setTimeout(act, delay === 1_000 ? 0 : delay)
  })
  const screen = (): MediaStream => {
    const canvas = document.createElement("canvas")
    canvas.width = frame.bars * frame.barWidth
    canvas.height = frame.height
    const context = canvas.getContext("2d", { alpha: false })!
    const draw = () => {
      const number = Date.now() - startedAt
      const bits = Array.from({ length: frame.numberBits }, (_, bit) => (number >> bit) & 1)
      const shown = [1, 0, ...bits, ...bits.map((bit) => 1 - bit)]
      for (const [index, bit] of shown.entries()) {
        context.fillStyle = bit === 1 ? "white" : "black"
        context.fillRect(index * frame.barWidth, 0, frame.barWidth, frame.height)
      }
      if (isRecording) tapedeck.drawn.push(number)
    }
    draw()
    const timer = setInterval(draw, frame.intervalMs)
    const stream = canvas.captureStream()
    const [track] = stream.getVideoTracks()
    const end = track!.stop.bind(track)
    track!.stop = () => {
      clearInterval(timer)
      end()
    }
    return stream
  }
  navigator.mediaDevices.getDisplayMedia = async () => screen()
}
