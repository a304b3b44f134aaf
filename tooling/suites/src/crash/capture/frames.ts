import { spawn } from "node:child_process"
import { once } from "node:events"

/** Bits of a frame's number: the milliseconds from the run's start until it was drawn. */
const numberBits = 23

/** Bars across a frame: white, black, the number from its lowest bit on, and its complement, by which it is checked. */
const bars = 2 + 2 * numberBits

/** How the page draws its frames: it is a screen for the recorder. */
export const drawing = { bars, numberBits, barWidth: 8, height: 180, intervalMs: 100 } as const

/** The numbers in the frames of a video, in their order. Rejects where one cannot be read. */
export const framesOf = async (video: Buffer): Promise<ReadonlyArray<number>> => {
  if (video.length === 0) return []
  const rows = await decoded(video)
  return Array.from({ length: rows.length / bars }, (_, frame) => {
    const bits = [...rows.subarray(frame * bars, (frame + 1) * bars)].map((grey) => (grey > 127 ? 1 : 0))
    const number = bits.slice(2, 2 + numberBits)
    const complement = bits.slice(2 + numberBits)
    const isRead = bits[0] === 1 && bits[1] === 0 && number.every((bit, index) => bit !== complement[index])
    if (!isRead) throw new Error(`frame ${frame} of the video has no number: ${bits.join("")}`)
    return number.reduce<number>((sum, bit, index) => sum + bit * 2 ** index, 0)
  })
}

/** Each frame as one row, with a grey for each bar. */
const decoded = async (video: Buffer): Promise<Buffer> => {
  const rows = ["-vf", `format=gray,scale=${bars}:1:flags=area`, "-f", "rawvideo"]
  const args = [
    "-v",
    "error",
    "-i",
    "pipe:0",
    "-map",
    "0:v:0",
    "-fps_mode",
    "passthrough",
    "-enc_time_base",
    "-1",
    ...rows,
    "pipe:1"
  ]
  const child = spawn("ffmpeg", args, { stdio: "pipe" })
  const out: Array<Buffer> = []
  let errors = ""
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes))
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  // ffmpeg stops reading a video that it cannot decode.
  child.stdin.on("error", () => {})
  child.stdin.end(video)
  const [code] = await once(child, "close")
  // A killed recorder ends in the middle of a frame, which is none.
  const more = errors.split("\n").filter((line) => line !== "" && !line.includes("File ended prematurely"))
  if (code !== 0 || more.length > 0) throw new Error(`the video cannot be decoded (${code}): ${more.join("; ")}`)
  return Buffer.concat(out)
}

/** The longest time from a drawn frame to the nearest one of a video, in milliseconds. */
export const lostMsOf = (drawn: ReadonlyArray<number>, frames: ReadonlyArray<number>): number =>
  drawn.reduce((most, number) => Math.max(most, Math.min(...frames.map((frame) => Math.abs(frame - number)))), 0)
