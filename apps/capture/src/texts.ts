/** Every text of the page on which customers record. Another language is another object of this shape. */
export const english = {
  language: "en",
  loading: "One moment …",
  problemTitle: "This link cannot be used",
  unknownLink: "The link is not known, or was withdrawn. Ask for a new one.",
  usedLink: "The link was used up, or is too old. Ask for a new one.",
  elsewhereTitle: "This recording is open in another tab",
  elsewhere: "Continue there. When that tab is closed, you can send its recording from here.",
  noRoom: "This browser cannot keep a recording: it has no room left, or does not allow it. Make room, and try again.",
  offline: "There is no connection. The page tries again by itself.",
  tooMany: "Too many recordings were started with this link. Try again in an hour.",
  failed: (detail: string) => `Something failed: ${detail}`,

  asks: (account: string, person: string | null) =>
    person === null ? `${account} asks you for a recording` : `${person} of ${account} asks you for a recording`,
  own: "Record your screen",
  noConsole: "The console does not answer. Open the recorder there, with Record.",
  what: "You choose what is recorded, and see it before it is sent.",
  maximum: (minutes: number) => `It may last ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
  sourcesTitle: "What to record",
  sources: {
    screen: "Screen",
    microphone: "Microphone",
    camera: "Camera"
  },
  reasons: {
    screen: "Shows what happens. You select a tab, a window or a screen.",
    microphone: "Lets you say what you see.",
    camera: "Shows you in a corner of the picture."
  },
  logs: "Log of the page",
  logsReason: "Errors, requests and clicks of the page that you came from. Never what you type.",
  cameraAlone: "Films with your camera instead of the screen.",
  required: "needed",
  permissions: {
    screen: "Your browser asks now what you want to share.",
    microphone: "Your browser asks now for your microphone.",
    camera: "Your browser asks now for your camera."
  },
  choose: "Continue",
  noScreen:
    "This browser cannot record its screen. Record it with your system's recorder and send the file, or use the camera.",
  noRecorder: "This browser cannot record. Record with your system's recorder and send the file.",
  file: "Video file",
  sendFile: "Use this file",
  noVideo: (name: string) =>
    `${name} is not a video that can be played. Choose a video file, such as MP4, WebM or QuickTime.`,
  refused: {
    refused: (source: string) =>
      `${source}: you did not allow it, or your browser or system does not. Allow it, and try again.`,
    missing: (source: string) => `${source}: none was found.`,
    busy: (source: string) => `${source}: another program uses it. Close that, and try again.`,
    failed: (source: string) => `${source}: your browser could not open it.`
  },
  withoutIt: "You can continue without it.",
  again: "Try again",

  previewTitle: "Ready?",
  previewText: "This is what will be recorded.",
  preview: "Preview",
  start: "Start recording",
  back: "Back",
  countdown: (seconds: number) => `Recording starts in ${seconds}`,

  recordingTitle: "Recording",
  pausedTitle: "Paused",
  elapsed: "Recorded",
  left: "Left",
  pause: "Pause",
  unpause: "Continue recording",
  mute: "Mute microphone",
  unmute: "Unmute microphone",
  mark: "Mark this moment",
  marked: (number: number, time: string) => `Mark ${number} at ${time}`,
  stop: "Stop",
  keepOpen: "Leave this page open. You can use other tabs and windows.",
  saved: "Each second is kept in this browser and sent while you record.",
  waiting: "No connection: your recording is kept in this browser, and sent when the connection is back.",

  reviewTitle: "Look at it before you send it",
  video: (number: number, count: number) =>
    count === 1 ? "Your recording" : `Your recording, part ${number} of ${count}`,
  reviewLink: {
    copied: "The link to the recording is copied. It plays once you have sent the recording.",
    shown: "The link to the recording plays once you have sent the recording."
  },
  sentLink: { copied: "The link to the recording is copied.", shown: "This is the link to the recording." },
  copyLink: "Copy link",
  openLink: "Open",
  title: "Title",
  note: "Note",
  email: "Your e-mail address",
  customerEmail: "Customer’s e-mail address",
  optional: "optional",
  ticket: "Ticket",
  ticketHint: "its number, or its address",
  helpdesk: "Helpdesk",
  none: "None",
  folder: "Folder",
  noFolder: "In no folder",
  send: "Send",
  more: "Record more",
  discard: "Discard",
  discardQuestion: "Discard this recording? It cannot be brought back.",
  keep: "Keep it",
  problems: {
    revoked: "The server takes no more of this recording. You can save it as a file.",
    storage_full: "This browser has no room left, so recording stopped. What was recorded before is kept.",
    too_large: "The recording reached the size that the server takes, so it stopped. What was recorded before is kept.",
    recorder: "Your browser's recorder failed. What was recorded before is kept."
  },
  save: "Save as a file",

  sendingTitle: "Sending",
  makeRoom: "If nothing is sent, make room on this device: what was recorded cannot be read while its disk is full.",
  progress: "Sent",
  sentTitle: "Thank you. Your recording was sent.",
  sentText: "You can close this page.",
  onward: "Continue",
  discardedTitle: "The recording was discarded",
  restart: "Record again",

  unfinishedTitle: "A recording was not sent yet",
  unfinishedText: (when: string) => `You started it ${when}. Everything that was recorded is still here.`,
  review: "Look at it",

  recordingTab: (time: string) => `● ${time}`
}

export type Texts = typeof english
