import { metronome } from "./metronome.ts"

/** Sources that the person has chosen. */
export interface Sources {
  readonly screen: boolean
  readonly microphone: boolean
  readonly camera: boolean
}

/** Abilities of this browser. */
export interface Abilities {
  readonly screen: boolean
  readonly microphone: boolean
  readonly camera: boolean
  /** True if the browser can record. Some browsers can only upload a file. */
  readonly recorder: boolean
}

/** A permission was refused, or a device is missing. */
export class SourceError extends Error {
  override readonly name = "SourceError"
  readonly source: keyof Sources
  readonly reason: "refused" | "missing" | "busy" | "failed"

  constructor(source: keyof Sources, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.source = source
    const name = cause instanceof DOMException ? cause.name : ""
    this.reason =
      name === "NotAllowedError" || name === "SecurityError"
        ? "refused"
        : name === "NotFoundError" || name === "OverconstrainedError"
          ? "missing"
          : name === "NotReadableError" || name === "AbortError"
            ? "busy"
            : "failed"
  }
}

export const abilities = (): Abilities => {
  const devices = globalThis.navigator?.mediaDevices as MediaDevices | undefined
  const recorder = typeof MediaRecorder === "function" && formatOf() !== null
  return {
    recorder,
    screen: recorder && typeof devices?.getDisplayMedia === "function",
    microphone: recorder && typeof devices?.getUserMedia === "function",
    camera: recorder && typeof devices?.getUserMedia === "function"
  }
}

/** Formats, best first: those that play in most browsers without another encoding, then those that a browser may have. */
const formats = [
  "video/mp4;codecs=avc1.640028,mp4a.40.2",
  "video/mp4;codecs=avc1.42E01F,mp4a.40.2",
  // VP9 is smaller, and occupies a slow machine's processor while the person uses it.
  "video/webm;codecs=vp8,opus",
  "video/webm;codecs=vp9,opus",
  "video/webm",
  "video/mp4"
]

/** Formats in the order of preference. WebM comes first, because it can be stored each second, and MP4 fragments of some browsers come late. */
const preferred = [...formats].sort((one, other) => Number(other.includes("webm")) - Number(one.includes("webm")))

/** Returns the format without its audio codec. */
const silent = (format: string): string => format.replace(/,(?:opus|mp4a[\w.]*)$/, "")

/**
 * Returns the format in which this browser records; null if there is none. `hasSound` is whether the stream has an audio track. Firefox
 * waits for one forever, without an error, if the format names an audio codec.
 */
export const formatOf = ({
  hasSound = true,
  isSupported = (type) => MediaRecorder.isTypeSupported(type)
}: {
  readonly hasSound?: boolean
  readonly isSupported?: (type: string) => boolean
} = {}): string | null => preferred.map((format) => (hasSound ? format : silent(format))).find(isSupported) ?? null

/** Returns the bit rate of video, by the number of pixels: from 2.5 Mbit/s for 720p or less up to 10 Mbit/s. */
export const videoBitsPerSecond = (width: number, height: number): number =>
  Math.round(Math.min(10, Math.max(2.5, (2.5 * (width * height)) / (1280 * 720))) * 1_000_000)

export const audioBitsPerSecond = 128_000

/** Time between key frames, in milliseconds. A cut, or a lost end, costs at most this time. */
export const keyFrameMs = 2_000

/** Duration of a chunk, in milliseconds. */
export const chunkMs = 1_000

const open = async (source: keyof Sources, get: () => Promise<MediaStream>): Promise<MediaStream> => {
  try {
    return await get()
  } catch (cause) {
    throw new SourceError(source, cause)
  }
}

const stop = (stream: MediaStream | null) => {
  for (const track of stream?.getTracks() ?? []) track.stop()
}

/** The streams of the chosen sources, as one stream to record. */
export interface OpenSources {
  /** Stream with one video track, and at most one audio track. */
  readonly stream: MediaStream
  readonly hasSound: boolean
  /** Stream of the camera only, for a bubble on the page; null without a camera. */
  readonly camera: MediaStream | null
  readonly setMuted: (isMuted: boolean) => void
  /** Called when the person ends the sharing with the button of the browser. */
  onEnded: (() => void) | null
  readonly close: () => void
}

/** Maximum size of the picture. Text stays readable, and a picture that is composed with the camera can be drawn 30 times a second. */
const screenSize = { width: { max: 2560 }, height: { max: 1440 } }
const composedSize = { width: { max: 1920 }, height: { max: 1080 } }

/** Opens the sources one after another, so that each permission can be explained; closes all if one fails. */
export const openSources = async (
  { camera, microphone, screen }: Sources,
  onNext: (source: keyof Sources) => void = () => {}
): Promise<OpenSources> => {
  const opened: Array<MediaStream> = []
  const opening = async (source: keyof Sources, get: () => Promise<MediaStream>) => {
    onNext(source)
    const stream = await open(source, get)
    opened.push(stream)
    return stream
  }
  const devices = navigator.mediaDevices
  try {
    const shown = screen
      ? await opening("screen", () =>
          devices.getDisplayMedia({
            video: { frameRate: { ideal: 30 }, ...(camera ? composedSize : screenSize) },
            audio: true,
            // Offers whole screens and windows besides tabs, and this tab last.
            ...({ selfBrowserSurface: "exclude", surfaceSwitching: "include", systemAudio: "include" } as object)
          })
        )
      : null
    const voice = microphone
      ? await opening("microphone", () =>
          devices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true } })
        )
      : null
    const face = camera
      ? await opening("camera", () =>
          devices.getUserMedia({
            video: { width: { ideal: screen ? 320 : 1280 }, height: { ideal: screen ? 320 : 720 } }
          })
        )
      : null
    const picture = shown === null ? face : shown
    if (picture === null) throw new SourceError("screen", new Error("nothing to record was chosen"))
    const composed = shown !== null && face !== null ? await compose(shown, face) : null
    const sound = mix(
      [shown, voice].filter((one) => one !== null && one.getAudioTracks().length > 0) as Array<MediaStream>
    )
    const video = composed?.track ?? picture.getVideoTracks()[0]!
    const sources: OpenSources = {
      stream: new MediaStream([video, ...(sound === null ? [] : [sound.track])]),
      hasSound: sound !== null,
      camera: face,
      setMuted: (isMuted) => {
        for (const track of voice?.getAudioTracks() ?? []) track.enabled = !isMuted
      },
      onEnded: null,
      close: () => {
        composed?.close()
        sound?.close()
        for (const stream of opened) stop(stream)
      }
    }
    picture.getVideoTracks()[0]!.addEventListener("ended", () => sources.onEnded?.())
    return sources
  } catch (error) {
    for (const stream of opened) stop(stream)
    throw error
  }
}

/** Mixes the audio of several streams to one track; null without any. */
const mix = (
  streams: ReadonlyArray<MediaStream>
): { readonly track: MediaStreamTrack; readonly close: () => void } | null => {
  if (streams.length === 0) return null
  const context = new AudioContext()
  const destination = context.createMediaStreamDestination()
  for (const stream of streams) context.createMediaStreamSource(stream).connect(destination)
  void context.resume()
  return { track: destination.stream.getAudioTracks()[0]!, close: () => void context.close() }
}

const playing = async (stream: MediaStream): Promise<HTMLVideoElement> => {
  const video = document.createElement("video")
  video.muted = true
  video.playsInline = true
  video.srcObject = stream
  await video.play()
  return video
}

/** Composes the screen with the camera, as a round bubble in the lower left corner. */
const compose = async (
  screen: MediaStream,
  camera: MediaStream
): Promise<{ readonly track: MediaStreamTrack; readonly close: () => void }> => {
  const [shown, face] = await Promise.all([playing(screen), playing(camera)])
  const canvas = document.createElement("canvas")
  const context = canvas.getContext("2d", { alpha: false })!
  const draw = () => {
    const { videoHeight: height, videoWidth: width } = shown
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width
      canvas.height = height
    }
    context.drawImage(shown, 0, 0)
    const size = Math.round(Math.min(width, height) / 5)
    const margin = Math.round(size / 8)
    const side = Math.min(face.videoWidth, face.videoHeight)
    context.save()
    context.beginPath()
    context.arc(margin + size / 2, height - margin - size / 2, size / 2, 0, 2 * Math.PI)
    context.clip()
    const [x, y] = [(face.videoWidth - side) / 2, (face.videoHeight - side) / 2]
    context.drawImage(face, x, y, side, side, margin, height - margin - size, size, size)
    context.restore()
  }
  draw()
  const end = metronome(1_000 / 30, draw)
  const track = canvas.captureStream(30).getVideoTracks()[0]!
  return {
    track,
    close: () => {
      end()
      track.stop()
      shown.srcObject = null
      face.srcObject = null
    }
  }
}
