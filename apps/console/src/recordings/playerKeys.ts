/** Parts of the player that keys change. */
export interface Controls {
  readonly video: HTMLVideoElement
  /** Selects the next higher (1) or lower (-1) speed, if there is one. */
  readonly changeSpeed: (step: 1 | -1) => void
}

interface PlayerKey {
  /** Values of `KeyboardEvent.key`. */
  readonly keys: ReadonlyArray<string>
  /** The keys as the help shows them. */
  readonly caps: ReadonlyArray<string>
  readonly effect: string
  readonly act: (controls: Controls, key: string) => unknown
}

/** Length of a frame, in seconds. A browser does not tell a video's frame rate; most recordings have 30 frames per second at most. */
const frameSeconds = 1 / 30

const skip = ({ video }: Controls, seconds: number) => {
  video.currentTime = Math.min(Math.max(video.currentTime + seconds, 0), video.duration || 0)
}

const pair = (
  [back, onward]: readonly [back: string, onward: string],
  effect: string,
  move: (controls: Controls, direction: 1 | -1) => unknown,
  caps: ReadonlyArray<string> = [back, onward]
): PlayerKey => ({
  keys: [back, onward],
  caps: caps.map((cap) => cap.toUpperCase()),
  effect,
  act: (controls, key) => move(controls, key === onward ? 1 : -1)
})

/** The player's keys, for the player and its help. */
export const playerKeys: ReadonlyArray<PlayerKey> = [
  {
    keys: [" ", "k"],
    caps: ["Space", "K"],
    effect: "Play or pause",
    act: ({ video }) => (video.paused ? void video.play() : video.pause())
  },
  pair(["ArrowLeft", "ArrowRight"], "5 seconds back or onward", (controls, to) => skip(controls, 5 * to), ["←", "→"]),
  pair(["j", "l"], "10 seconds back or onward", (controls, to) => skip(controls, 10 * to)),
  pair([",", "."], "One frame back or onward", (controls, to) => {
    controls.video.pause()
    skip(controls, frameSeconds * to)
  }),
  pair(["<", ">"], "Slower or faster", ({ changeSpeed }, to) => changeSpeed(to)),
  {
    keys: ["Home"],
    caps: ["Home"],
    effect: "To the start",
    act: (controls) => skip(controls, Number.NEGATIVE_INFINITY)
  },
  {
    keys: ["m"],
    caps: ["M"],
    effect: "Sound on or off",
    act: ({ video }) => {
      video.muted = !video.muted
    }
  },
  {
    keys: ["c"],
    caps: ["C"],
    effect: "Captions on or off",
    act: ({ video: { textTracks } }) => {
      for (const track of textTracks) track.mode = track.mode === "showing" ? "hidden" : "showing"
    }
  },
  {
    keys: ["f"],
    caps: ["F"],
    effect: "Full screen",
    act: ({ video }) => (document.fullscreenElement === null ? video.requestFullscreen() : document.exitFullscreen())
  }
]
